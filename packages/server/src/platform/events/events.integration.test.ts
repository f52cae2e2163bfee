import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createDatabase } from '../../../test/kit.ts'
import { type DatabaseAddress, type Db, openDatabase } from '../db/index.ts'
import { AppError } from '../errors.ts'
import { createLog } from '../log.ts'
import { Metrics } from '../metrics.ts'
import { type EventOf, Events } from './index.ts'
import { defineTopic } from './topic.ts'

const log = createLog('silent')
const thingChanged = defineTopic({
  name: 'thing.changed',
  version: 1,
  schema: z.object({ number: z.number(), text: z.string().optional() }),
})
type ThingChanged = EventOf<typeof thingChanged>
let address: DatabaseAddress
let db: Db
let running: Events[]

beforeEach(async () => {
  address = await createDatabase()
  db = openDatabase(address, log).db
  running = []
})
afterEach(async () => {
  for (const events of running) await events[Symbol.asyncDispose]()
  await db.destroy()
})

/** A process's events; `consumers` are registered and everything is started. */
async function start(
  consumers: Record<string, (events: readonly ThingChanged[]) => Promise<void>>,
): Promise<Events> {
  const events = new Events({ db, address, log, metrics: new Metrics(), checksWrites: true })
  running.push(events)
  for (const [name, handle] of Object.entries(consumers))
    events.consume({ name, topics: [thingChanged], partition: () => 0, handle })
  await events.start()
  return events
}

const append = (events: Events, ...numbers: number[]) =>
  db.transaction().execute((tx) =>
    events.appendAll(
      tx,
      numbers.map((number) => thingChanged.event(null, { number })),
    ),
  )

const numbersOf = (events: readonly ThingChanged[]) => events.map(({ payload }) => payload.number)

function recorder() {
  const seen: number[] = []
  return {
    seen,
    handler: async (events: readonly ThingChanged[]) => {
      seen.push(...numbersOf(events))
    },
  }
}

const outboxSize = async () => {
  const { size } = await db
    .selectFrom('outbox')
    .select((select) => select.fn.countAll<number>().as('size'))
    .executeTakeFirstOrThrow()
  return size
}

describe('events', () => {
  test('reach every consumer in order, once, and only after the commit', async () => {
    const [one, two] = [recorder(), recorder()]
    const events = await start({ one: one.handler, two: two.handler })
    await append(events, 1, 2)
    await expect(
      db.transaction().execute(async (tx) => {
        await events.append(tx, thingChanged.event(null, { number: 99 }))
        throw new Error('rolled back')
      }),
    ).rejects.toThrow('rolled back')
    await append(events, 3)
    await events.drain()
    expect(one.seen).toEqual([1, 2, 3])
    expect(two.seen).toEqual([1, 2, 3])
  })

  test('of a long transaction are not lost behind those of a short one that began later', async () => {
    const { seen, handler } = recorder()
    const events = await start({ one: handler })
    const long = await db.startTransaction().execute()
    await events.append(long, thingChanged.event(null, { number: 1 }))
    await append(events, 2)
    await long.commit().execute()
    await events.drain()
    expect(seen).toEqual([1, 2])
  })

  test('carry their id, topic, account, payload and time', async () => {
    let got: ThingChanged | undefined
    const events = await start({
      one: async ([event]) => {
        got = event
      },
    })
    await append(events, 7)
    await events.drain()
    expect(got).toMatchObject({ id: 1, topic: 'thing.changed', accountId: null, payload: { number: 7 } })
    expect(got?.at).toBeInstanceOf(Date)
  })

  test('come again after a crash from where the consumer had come, and not before', async () => {
    const first = await start({ one: async () => undefined })
    await append(first, 1, 2)
    await first.drain()
    // The process dies while it handles the next ones.
    const held = Promise.withResolvers<void>()
    const entered = Promise.withResolvers<void>()
    await first[Symbol.asyncDispose]()
    const dying = await start({
      one: () => {
        entered.resolve()
        return held.promise
      },
    })
    await append(dying, 3, 4)
    await entered.promise
    const stopped = dying[Symbol.asyncDispose]()
    held.reject(new Error('the process is gone'))
    await stopped
    const { seen, handler } = recorder()
    const next = await start({ one: handler })
    await next.drain()
    expect(seen).toEqual([3, 4])
  })

  test('many at once come in batches of at most 500, in order', async () => {
    const sizes: number[] = []
    const { seen, handler } = recorder()
    const events = await start({
      one: (batch) => {
        sizes.push(batch.length)
        return handler(batch)
      },
    })
    const numbers = Array.from({ length: 1234 }, (_, number) => number)
    await append(events, ...numbers)
    await events.drain()
    expect(seen).toEqual(numbers)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
  })

  test('that are large come in smaller batches, none is left out', async () => {
    const sizes: number[] = []
    const seen: number[] = []
    const events = await start({
      one: async (batch) => {
        sizes.push(batch.length)
        seen.push(...numbersOf(batch))
      },
    })
    const numbers = Array.from({ length: 12 }, (_, number) => number)
    await db.transaction().execute((tx) =>
      events.appendAll(
        tx,
        // Random text, because PostgreSQL compresses what repeats.
        numbers.map((number) =>
          thingChanged.event(null, { number, text: randomBytes(375_000).toString('base64') }),
        ),
      ),
    )
    await events.drain()
    expect(seen).toEqual(numbers)
    expect(Math.max(...sizes)).toBeLessThan(8)
  })

  test('one that cannot be handled is put aside with its reason; the others and other consumers go on', async () => {
    const good = recorder()
    const picky = recorder()
    const events = await start({
      good: good.handler,
      picky: async (batch) => {
        if (numbersOf(batch).includes(2)) throw new Error('not this one')
        await picky.handler(batch)
      },
    })
    await append(events, 1, 2, 3)
    await events.drain()
    expect(good.seen).toEqual([1, 2, 3])
    expect(picky.seen).toEqual([1, 3])
    const parked = await db.selectFrom('outbox_failures').selectAll().execute()
    expect(parked).toMatchObject([
      { consumer: 'picky', payload: { number: 2 }, error: 'not this one', attempts: 3 },
    ])
  })

  test('a failure that passes is tried again without losing the order', async () => {
    const { seen, handler } = recorder()
    let failures = 2
    const events = await start({
      one: async (batch) => {
        if (failures-- > 0) throw new Error('database away')
        await handler(batch)
      },
    })
    await append(events, 1, 2, 3)
    await events.drain()
    expect(seen).toEqual([1, 2, 3])
    expect(await db.selectFrom('outbox_failures').selectAll().execute()).toEqual([])
  })

  test('are never put aside because the platform itself is busy or its database away', async () => {
    const { seen, handler } = recorder()
    const failures = [
      new AppError('OVERLOADED'),
      new Error('Connection terminated unexpectedly'),
      Object.assign(new pg.DatabaseError('no space left on device', 0, 'error'), { code: '53100' }),
      Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    ]
    const events = await start({
      patient: async (batch) => {
        const failure = failures.shift()
        if (failure) throw failure
        await handler(batch)
      },
    })
    await append(events, 1)
    await events.drain()
    expect(failures).toEqual([])
    expect(seen).toEqual([1])
    expect(await db.selectFrom('outbox_failures').selectAll().execute()).toEqual([])
  })

  test('come from where the database says, when the lead was lost and taken again', async () => {
    const { seen, handler } = recorder()
    const events = await start({ one: handler })
    await append(events, 1)
    await events.drain()
    // As if a crash of the database had taken back what this process has seen.
    await db.updateTable('outbox_cursors').set({ last_xid: '0', last_id: 0 }).execute()
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'leitstand events'
      and datname = current_database()`.execute(db)
    await append(events, 2)
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual([1, 1, 2])
  })

  test('appended by a consumer are handled too', async () => {
    const { seen, handler } = recorder()
    const events: Events = await start({
      one: async (batch) => {
        await handler(batch)
        for (const number of numbersOf(batch)) if (number < 3) await append(events, number + 1)
      },
    })
    await append(events, 1)
    await events.drain()
    expect(seen).toEqual([1, 2, 3])
  })

  test('are handled by one process at a time, and by another one when that stops', async () => {
    const [here, there] = [recorder(), recorder()]
    const leader = await start({ one: here.handler })
    const other = await start({ one: there.handler })
    await append(other, 1)
    await leader.drain()
    expect([here.seen, there.seen]).toEqual([[1], []])
    await leader[Symbol.asyncDispose]()
    await append(other, 2)
    while (there.seen.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect([here.seen, there.seen]).toEqual([[1], [2]])
  })

  test('leave the outbox when every consumer has handled them', async () => {
    const events = await start({ one: async () => undefined, two: async () => undefined })
    await append(events, 1, 2, 3)
    await events.drain()
    expect(await outboxSize()).toBe(3)
    await events.clean()
    expect(await outboxSize()).toBe(0)
  })

  test('are found again in a restored database, whose transaction numbers begin anew', async () => {
    await db
      .insertInto('outbox_cursors')
      .values({ consumer: 'one', last_xid: '999999999', last_id: 5 })
      .execute()
    const { seen, handler } = recorder()
    const events = await start({ one: handler })
    await append(events, 1)
    await events.drain()
    expect(seen).toEqual([1])
  })
})
