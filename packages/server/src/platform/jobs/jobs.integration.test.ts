import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDatabase } from '../../../test/kit.ts'
import { type DatabaseAddress, openDatabase } from '../db/index.ts'
import { createLog } from '../log.ts'
import { Metrics } from '../metrics.ts'
import { Jobs } from './index.ts'

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
