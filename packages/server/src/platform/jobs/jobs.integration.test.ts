import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { endOverdueAttempts, interruptLastAttempt } from '../../../test/jobs.ts'
import { createDatabase } from '../../../test/kit.ts'
import { type DatabaseAddress, openDatabase } from '../db/index.ts'
import { createLog } from '../log.ts'
import { Metrics } from '../metrics.ts'
import { type JobFailure, type JobHandler, Jobs, type QueueSettings } from './index.ts'

const log = createLog('silent')
let address: DatabaseAddress
let database: ReturnType<typeof openDatabase>
let running: Jobs[]

beforeEach(async () => {
  address = await createDatabase()
  database = openDatabase(address, log)
  running = []
})
afterEach(async () => {
  for (const jobs of running) await jobs[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

async function start(handler: (data: { number: number }, retry: number) => Promise<void>): Promise<Jobs> {
  const jobs = new Jobs(database, log, new Metrics())
  running.push(jobs)
  jobs.work<{ number: number }>('count', (data, run) => handler(data, run.retry), {
    retries: 2,
    retryDelaySeconds: 3600,
  })
  await jobs.start({ works: true, isAlone: true })
  return jobs
}

describe('jobs', () => {
  test('run once, after the commit of what queued them', async () => {
    const seen: number[] = []
    const jobs = await start(async ({ number }) => void seen.push(number))
    await database.db.transaction().execute((tx) => jobs.send(tx, 'count', { number: 1 }))
    const rolledBack = database.db.transaction().execute(async (tx) => {
      await jobs.send(tx, 'count', { number: 2 })
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    await jobs.drain()
    expect(seen).toEqual([1])
  })

  test('run by themselves, without anybody asking', async () => {
    const ran = Promise.withResolvers<number>()
    const jobs = await start(async ({ number }) => ran.resolve(number))
    await jobs.send(database.db, 'count', { number: 7 })
    expect(await ran.promise).toBe(7)
  })

  test('that fail are tried again, as often as the queue says', async () => {
    const retries: number[] = []
    const jobs = await start(async (_data, retry) => {
      retries.push(retry)
      throw new Error('not yet')
    })
    await jobs.send(database.db, 'count', { number: 1 })
    for (let i = 0; i < 4; i++) {
      await jobs.drain()
      await database.pool.query(`update pgboss.job set start_after = now() where state = 'retry'`)
    }
    expect(retries).toEqual([0, 1, 2])
  })

  test('taken at once succeed and fail each on its own', async () => {
    const jobs = new Jobs(database, log, new Metrics())
    running.push(jobs)
    const all = Promise.withResolvers<void>()
    const waiting = new Set([1, 2, 3])
    jobs.work<{ number: number }>(
      'count',
      async ({ number }) => {
        waiting.delete(number)
        if (waiting.size === 0) all.resolve()
        // None of them is done before all have begun.
        await all.promise
        if (number === 2) throw new Error('not this one')
      },
      { retries: 2, retryDelaySeconds: 3600, batch: 3 },
    )
    await database.db.transaction().execute(async (tx) => {
      // Before the workers start, so that one of them finds all.
      await jobs.start({ works: true, isAlone: true })
      for (const number of [1, 2, 3]) await jobs.send(tx, 'count', { number })
    })
    await all.promise
    await expect
      .poll(async () => {
        const { rows } = await database.pool.query<{ number: string; state: string }>(
          `select data->>'number' as number, state from pgboss.job where name = 'count' order by 1`,
        )
        return rows.map(({ state }) => state)
      })
      .toEqual(['completed', 'retry', 'completed'])
  })

  test('survive a restart', async () => {
    const first = await start(async () => undefined)
    await first.send(database.db, 'count', { number: 5 }, { startAfter: new Date(Date.now() + 3_600_000) })
    await first[Symbol.asyncDispose]()
    const seen: number[] = []
    const second = await start(async ({ number }) => void seen.push(number))
    await database.pool.query(`update pgboss.job set start_after = now() where state = 'created'`)
    await second.drain()
    expect(seen).toEqual([5])
  })

  test('that a crash has interrupted run again at the next start', async () => {
    const first = await start(async () => undefined)
    await first.send(database.db, 'count', { number: 6 })
    await first[Symbol.asyncDispose]()
    // What a killed process leaves.
    await database.pool.query(`update pgboss.job set state = 'active', started_on = now()`)
    const again = Promise.withResolvers<number>()
    await start(async (_data, retry) => again.resolve(retry))
    expect(await again.promise).toBe(1)
  })

  test('whose process has been silent for half a minute are run by another one', async () => {
    const jobs = await start(async () => undefined)
    const silentFor = async (number: number, seconds: number) => {
      await jobs.send(database.db, 'count', { number })
      await database.pool.query(
        `update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() - make_interval(secs => $1)
         where data = $2`,
        [seconds, { number }],
      )
    }
    await jobs[Symbol.asyncDispose]()
    await silentFor(1, 20)
    await silentFor(2, 31)
    await endOverdueAttempts(address, database.pool)
    const { rows } = await database.pool.query(
      `select data, state from pgboss.job where name = 'count' order by data`,
    )
    expect(rows).toEqual([
      { data: { number: 1 }, state: 'active' },
      { data: { number: 2 }, state: 'retry' },
    ])
  })

  test('take the settings of their queue from the latest start', async () => {
    const startWith = async (retries: number) => {
      const jobs = new Jobs(database, log, new Metrics())
      running.push(jobs)
      jobs.work('count', async () => undefined, { retries })
      await jobs.start({ works: true, isAlone: true })
    }
    const stored = async () => (await database.pool.query('select name, retry_limit from pgboss.queue')).rows
    for (const retries of [2, 2, 7]) {
      await startWith(retries)
      expect(await stored()).toContainEqual({ name: 'count', retry_limit: retries })
    }
  })

  test('for a queue nobody registered are refused at once', async () => {
    const jobs = await start(async () => undefined)
    await expect(jobs.send(database.db, 'nothing', {})).rejects.toThrow('there is no queue nothing')
  })
})

describe('a job that is out of attempts', () => {
  type Data = { number: number }
  type Settings = QueueSettings<Data> & { works?: boolean; isAlone?: boolean }

  /** Starts a process whose given-up jobs are collected. */
  async function startCollecting(
    handler: JobHandler<Data>,
    { works = false, isAlone = false, ...settings }: Settings = {},
  ) {
    const given: [number, JobFailure | null][] = []
    const jobs = new Jobs(database, log, new Metrics())
    running.push(jobs)
    jobs.work<Data>('count', handler, {
      retries: 0,
      givenUp: async ({ number }, failure) => void given.push([number, failure]),
      ...settings,
    })
    await jobs.start({ works, isAlone })
    return { jobs, given }
  }
  const nothing = async () => undefined
  const maintain = () => endOverdueAttempts(address, database.pool)

  test('is given up with the error of the last attempt, and not before', async () => {
    const { jobs, given } = await startCollecting(
      async (_data, { retry }) => {
        throw new Error(`attempt ${retry}`)
      },
      { retries: 1, retryDelaySeconds: 3600 },
    )
    await jobs.send(database.db, 'count', { number: 1 })
    await jobs.drain()
    expect(given).toEqual([])
    await database.pool.query(`update pgboss.job set start_after = now() where state = 'retry'`)
    await jobs.drain()
    expect(given).toEqual([[1, { code: 'INTERNAL_ERROR', message: 'attempt 1' }]])
  })

  test('is given up when a crash has interrupted the last one, without an error', async () => {
    const { jobs, given } = await startCollecting(nothing)
    await jobs.send(database.db, 'count', { number: 1 })
    await interruptLastAttempt(database.db, 'count')
    await maintain()
    await jobs.drain()
    expect(given).toEqual([[1, null]])
  })

  test('is given up at the next start of a process that is alone, before its time is over', async () => {
    const { jobs } = await startCollecting(nothing)
    await jobs.send(database.db, 'count', { number: 1 })
    await interruptLastAttempt(database.db, 'count')
    await database.pool.query('update pgboss.job set started_on = now()')
    await jobs[Symbol.asyncDispose]()
    const next = await startCollecting(nothing, { isAlone: true })
    await next.jobs.drain()
    expect(next.given).toEqual([[1, null]])
  })

  test('is given up when its time is over, by itself', async () => {
    const gone = Promise.withResolvers<[number, JobFailure | null]>()
    const { jobs } = await startCollecting(
      async (_data, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      {
        works: true,
        timeoutSeconds: 1,
        batch: 3,
        givenUp: async ({ number }, failure) => gone.resolve([number, failure]),
      },
    )
    await jobs.send(database.db, 'count', { number: 4 })
    expect(await gone.promise).toEqual([4, null])
  })

  test('is given up once by several processes, and again when that failed', async () => {
    const given: number[] = []
    const givenUp = async ({ number }: Data) => {
      given.push(number)
      if (given.length === 1) throw new Error('not now')
    }
    const fail = async () => {
      throw new Error('never')
    }
    const [one, other] = [await startCollecting(fail, { givenUp }), await startCollecting(fail, { givenUp })]
    await one.jobs.send(database.db, 'count', { number: 1 })
    await Promise.all([one.jobs.drain(), other.jobs.drain()])
    expect(given).toEqual([1])
    await database.pool.query(`update pgboss.job set start_after = now() where state = 'retry'`)
    await Promise.all([one.jobs.drain(), other.jobs.drain()])
    expect(given).toEqual([1, 1])
  })

  test('is not given up while another one with the same data is open', async () => {
    const { jobs, given } = await startCollecting(async () => {
      throw new Error('never')
    })
    const later = { startAfter: new Date(Date.now() + 3_600_000) }
    await jobs.send(database.db, 'count', { number: 1 })
    await jobs.send(database.db, 'count', { number: 1 }, later)
    await jobs.send(database.db, 'count', { number: 2 }, later)
    await jobs.drain()
    expect(given).toEqual([])
    await database.pool.query(`update pgboss.job set start_after = now() where state = 'created'`)
    await jobs.drain()
    expect(given.map(([number]) => number).sort()).toEqual([1, 2])
  })

  test('is given up too when an older version has sent it', async () => {
    const older = new Jobs(database, log, new Metrics())
    running.push(older)
    older.work('count', nothing, { retries: 0 })
    await older.start({ works: false, isAlone: false })
    await older.send(database.db, 'count', { number: 1 })
    await interruptLastAttempt(database.db, 'count')
    const { jobs, given } = await startCollecting(nothing)
    // The older version still runs.
    await older.send(database.db, 'count', { number: 2 })
    await interruptLastAttempt(database.db, 'count')
    await maintain()
    await jobs.drain()
    expect(given.map(([number]) => number).sort()).toEqual([1, 2])
  })

  test('counts as open until it has been given up', async () => {
    const { jobs } = await startCollecting(async ({ number }) => {
      if (number === 1) throw new Error('never')
    })
    const all = [1, 2, 3, 4].map((number) => ({ number }))
    expect(await jobs.withoutJob('count', all)).toEqual(all)
    for (const data of all.slice(0, 3)) await jobs.send(database.db, 'count', data)
    expect(await jobs.withoutJob('count', all)).toEqual([{ number: 4 }])
    await database.pool.query(`update pgboss.job set state = 'completed' where data @> '{"number": 2}'`)
    await database.pool.query(`update pgboss.job set started_on = now() - interval '1 day', state = 'active'
      where data @> '{"number": 1}'`)
    await maintain()
    expect(await jobs.withoutJob('count', all)).toEqual([{ number: 2 }, { number: 4 }])
    await jobs.drain()
    expect(await jobs.withoutJob('count', all)).toEqual(all)
  })
})
