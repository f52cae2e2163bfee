import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createDatabase } from '../../../test/kit.ts'
import { type DatabaseAddress, type Db, openDatabase } from '../db/index.ts'
import { OvertakenError } from '../db/passing.ts'
import { AppError } from '../errors.ts'
import { createLog } from '../log.ts'
import { Metrics } from '../metrics.ts'
import { type ConsumerDeclaration, type EventOf, Events, sliceCount } from './index.ts'
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

type Wishes = Pick<ConsumerDeclaration<typeof thingChanged>, 'partition' | 'sideBySide'>

/** The events of one process; registers `consumers` and starts everything. */
async function start(
  consumers: Record<string, (events: readonly ThingChanged[]) => Promise<void>>,
  wishes: Wishes = { partition: () => 0 },
): Promise<Events> {
  const events = new Events({ db, address, log, metrics: new Metrics(), checksWrites: true })
  running.push(events)
  for (const [name, handle] of Object.entries(consumers))
    events.consume({ name, topics: [thingChanged], ...wishes, handle })
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
    // The process crashes while it handles the next ones.
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
        // Random text, because PostgreSQL compresses repetitions.
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
    // Simulates a database crash that reverts what this process has seen.
    await db.updateTable('outbox_cursors').set({ last_xid: '0', last_id: 0 }).execute()
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'leitstand events'
      and datname = current_database()`.execute(db)
    await append(events, 2)
    await expect.poll(() => seen).toEqual([1, 1, 2])
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

  test('without a consumer are not written', async () => {
    const events = await start({})
    await append(events, 1)
    expect(await outboxSize()).toBe(0)
    expect(events.isWanted(thingChanged)).toBe(false)
  })

  test('with a payload that does not fit are refused when they are written', async () => {
    const events = await start({ one: async () => undefined })
    const wrong = thingChanged.event(null, { number: 'one' } as unknown as { number: number })
    await expect(db.transaction().execute((tx) => events.append(tx, wrong))).rejects.toThrow(
      'thing.changed: number',
    )
  })

  test('that cannot be read are parked at once with the reason, and the others go on', async () => {
    const { seen, handler } = recorder()
    const events = await start({ one: handler })
    await append(events, 1)
    await sql`insert into outbox (topic, payload) values ('thing.changed', '{"number": "two"}')`.execute(db)
    await append(events, 3)
    await events.drain()
    expect(seen).toEqual([1, 3])
    const parked = await db.selectFrom('outbox_failures').selectAll().execute()
    expect(parked).toMatchObject([{ consumer: 'one', payload: { number: 'two' }, attempts: 1 }])
    expect(parked[0]?.error).toContain('thing.changed: number')
  })
})

/** Accounts 1 to 9; the number is `account * 1000 + n`. */
const appendFor = (events: Events, accountId: number, ...numbers: number[]) =>
  db.transaction().execute((tx) =>
    events.appendAll(
      tx,
      numbers.map((number) => thingChanged.event(accountId, { number: accountId * 1000 + number })),
    ),
  )

describe('partitions', () => {
  test('keep their order and run side by side', async () => {
    const { seen, handler } = recorder()
    const [gate, entered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const events = await start(
      {
        one: async (batch) => {
          if (numbersOf(batch).includes(1001)) {
            entered.resolve()
            await gate.promise
          }
          await handler(batch)
        },
      },
      { partition: ({ payload }) => payload.number % 2 },
    )
    await appendFor(events, 1, 1)
    await entered.promise
    await appendFor(events, 1, 3, 2, 5, 4)
    await expect.poll(() => seen).toEqual([1002, 1004])
    gate.resolve()
    await events.drain()
    expect(seen.filter((number) => number % 2 === 1)).toEqual([1001, 1003, 1005])
    expect(seen).toHaveLength(5)
  })

  test('with a failing event hold up no other; it is parked, and handled when somebody asks for it', async () => {
    const { seen, handler } = recorder()
    let isBroken = true
    const events = await start(
      {
        one: async (batch) => {
          if (isBroken && numbersOf(batch).includes(1002)) throw new Error('not this one')
          await handler(batch)
        },
      },
      { partition: ({ payload }) => payload.number },
    )
    await appendFor(events, 1, 1, 2, 3)
    await events.drain()
    expect(seen.toSorted()).toEqual([1001, 1003])
    const retry = () => db.updateTable('outbox_failures').set({ retry: true }).execute()
    await retry()
    await events.drain()
    expect(await db.selectFrom('outbox_failures').selectAll().execute()).toMatchObject([
      { payload: { number: 1002 }, error: 'not this one', attempts: 6, retry: false },
    ])
    isBroken = false
    await retry()
    await events.drain()
    expect(seen.toSorted()).toEqual([1001, 1002, 1003])
    expect(await db.selectFrom('outbox_failures').selectAll().execute()).toEqual([])
  })

  test('of an account that is stuck with thousands of events do not delay other accounts', async () => {
    const { seen, handler } = recorder()
    const [gate, entered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const handle = async (batch: readonly ThingChanged[]) => {
      if (batch.some(({ accountId }) => accountId === 1)) {
        entered.resolve()
        await gate.promise
      }
      await handler(batch)
    }
    const events = await start({ one: handle }, { partition: () => 0 })
    await appendFor(events, 1, 0)
    await entered.promise
    await appendFor(events, 1, ...Array.from({ length: 900 }, (_, n) => n + 1))
    await appendFor(events, 1, ...Array.from({ length: 90 }, (_, n) => n + 901))
    await appendFor(events, 2, 1)
    await expect.poll(() => seen).toEqual([2001])
    gate.resolve()
    await events.drain()
    expect(seen).toHaveLength(992)
    await events.clean()
    expect(await outboxSize()).toBe(0)
  })

  test('of an account far behind get a cursor of their own, also for the next process', async () => {
    const { seen, handler } = recorder()
    const [gate, entered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const stuck = async (batch: readonly ThingChanged[]) => {
      if (batch.some(({ accountId }) => accountId === 1)) {
        entered.resolve()
        await gate.promise
        throw new Error('the process is gone')
      }
      await handler(batch)
    }
    const first = await start({ one: stuck }, { partition: () => 0 })
    await appendFor(first, 1, 0)
    await entered.promise
    for (let thousand = 0; thousand < 3; thousand++)
      await appendFor(first, 1, ...Array.from({ length: 1000 }, (_, n) => thousand * 1000 + n + 1))
    await appendFor(first, 2, 1)
    await expect.poll(() => seen).toEqual([2001])
    const lanes = () => db.selectFrom('outbox_lanes').select('account_id').execute()
    await expect.poll(lanes).toEqual([{ account_id: 1 }])
    await first.clean()
    expect(await outboxSize(), 'what is handled of others is deleted').toBeLessThanOrEqual(3002)
    const stopped = first[Symbol.asyncDispose]()
    gate.resolve()
    await stopped

    const other = recorder()
    const next = await start({ one: other.handler }, { partition: () => 0 })
    await next.drain()
    expect(other.seen).toEqual(Array.from({ length: 3001 }, (_, n) => 1000 + n))
    expect(await lanes()).toEqual([])
    await next.clean()
    expect(await outboxSize()).toBe(0)
  })
})

describe('several nodes', () => {
  /** A node with these slices, for a consumer with a partition for each account. */
  async function node(
    slices: readonly number[],
    handle: (events: readonly ThingChanged[]) => Promise<void>,
  ): Promise<Events> {
    const events = new Events({ db, address, log, metrics: new Metrics(), checksWrites: true })
    running.push(events)
    events.consume({ name: 'one', topics: [thingChanged], partition: () => 0, handle })
    await events.start({ isDivided: true })
    for (const slice of slices) await events.take(slice)
    return events
  }
  const all = Array.from({ length: sliceCount }, (_, slice) => slice)
  const without = (...slices: number[]) => all.filter((slice) => !slices.includes(slice))
  const cursors = async () =>
    (await db.selectFrom('outbox_cursors').select('slice').orderBy('slice').execute()).map(
      ({ slice }) => slice,
    )

  test('handle the events of different accounts, each in its order, and hand them over', async () => {
    const [here, there] = [recorder(), recorder()]
    const first = await node(without(3), here.handler)
    const second = await node([3], there.handler)
    await appendFor(first, 3, 1, 2)
    await appendFor(first, 4, 1, 2)
    // 19 is of the slice of 3.
    await appendFor(first, 19, 1)
    await first.drain()
    await second.drain()
    expect([here.seen, there.seen]).toEqual([
      [4001, 4002],
      [3001, 3002, 19_001],
    ])
    expect([first.owns(4), first.owns(19), second.owns(19), first.owns(null)]).toEqual([
      true,
      false,
      true,
      true,
    ])
    await second.leave(3)
    await appendFor(first, 3, 3)
    await second.drain()
    await first.take(3)
    await appendFor(first, 3, 4)
    await first.drain()
    expect(here.seen).toEqual([4001, 4002, 3003, 3004])
    expect(there.seen).toHaveLength(3)
  })

  test('leave a slice only when what is being handled of it is done', async () => {
    const [gate, entered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const here = recorder()
    const first = await node([1], async (batch) => {
      entered.resolve()
      await gate.promise
      await here.handler(batch)
    })
    await appendFor(first, 1, 1)
    await entered.promise
    let isLeft = false
    const left = first.leave(1).then(() => {
      isLeft = true
    })
    await appendFor(first, 1, 2)
    expect(isLeft).toBe(false)
    gate.resolve()
    await left
    const there = recorder()
    const second = await node([1], there.handler)
    await second.drain()
    expect([here.seen, there.seen]).toEqual([[1001], [1002]])
  })

  test('change nothing any more where another one has taken over', async () => {
    const [here, there] = [recorder(), recorder()]
    // It was paused for so long that the second took its slice.
    const paused = await node([1], here.handler)
    const gate = Promise.withResolvers<void>()
    const second = await node([1], async (batch) => {
      await gate.promise
      await there.handler(batch)
    })
    await expect(db.transaction().execute((tx) => paused.requireLead(tx, 'one'))).rejects.toThrow(
      OvertakenError,
    )
    await db.transaction().execute((tx) => second.requireLead(tx, 'one'))
    await appendFor(second, 1, 1)
    await paused.drain()
    const before = await db.selectFrom('outbox_cursors').select('last_id').where('slice', '=', 1).execute()
    expect(before, 'its progress does not count').toEqual([{ last_id: 0 }])
    gate.resolve()
    await second.drain()
    expect([here.seen, there.seen]).toEqual([[1001], [1001]])
  })

  test('begin again what another one has begun and left', async () => {
    const here = recorder()
    const first = await node(all, here.handler)
    await appendFor(first, 1, 1)
    await first.drain()
    // It was paused, and found out too late that its slices are somebody else's.
    const paused = await node([1], async () => undefined)
    await paused.leave(1)
    await appendFor(first, 1, 2)
    await first.drain()
    const isBegun = () =>
      db.transaction().execute(async (tx) => {
        await first.requireLead(tx, 'one')
        return true
      })
    await expect(isBegun()).rejects.toThrow(OvertakenError)
    await expect.poll(() => isBegun().catch(() => false)).toBe(true)
    await first.drain()
    expect(new Set(here.seen)).toEqual(new Set([1001, 1002]))
    const left = async () => {
      await first.clean()
      return await outboxSize()
    }
    await expect.poll(left, { timeout: 60_000, message: 'how far it has come counts' }).toBe(0)
  })

  test('continue where one process alone had come, and that where they had', async () => {
    const [alone, first, second, again] = [recorder(), recorder(), recorder(), recorder()]
    const before = await start({ one: alone.handler })
    await appendFor(before, 1, 1)
    await appendFor(before, 2, 1)
    await before.drain()
    await before[Symbol.asyncDispose]()
    const nodes = [await node([1], first.handler), await node(without(1), second.handler)] as const
    await appendFor(nodes[0], 1, 2)
    await appendFor(nodes[0], 2, 2)
    for (const each of nodes) await each.drain()
    const other = await start({ one: again.handler })
    await other.drain()
    expect(again.seen, 'not while nodes run').toEqual([])
    for (const each of nodes) await each[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
    const last = await start({ one: again.handler })
    await appendFor(last, 1, 3)
    await last.drain()
    expect([alone.seen, first.seen, second.seen]).toEqual([[1001, 2001], [1002], [2002]])
    expect(again.seen.filter((number) => number % 1000 === 3)).toEqual([1003])
    expect(await cursors()).toEqual([-1])
  })

  test('delete events that all of them have handled, and no other', async () => {
    const first = await node(without(2), async () => undefined)
    await appendFor(first, 1, 1)
    await appendFor(first, 2, 1)
    await first.drain()
    await first.clean()
    expect(await outboxSize(), 'nobody has the slice of account 2').toBe(2)
    const { seen, handler } = recorder()
    const second = await node([2], handler)
    await second.drain()
    expect(seen).toEqual([2001])
    await second.clean()
    await first.clean()
    expect(await outboxSize()).toBe(0)
  })

  test('take over accounts that are far behind where they are', async () => {
    const [gate, entered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const here = recorder()
    const first = await node(all, async (batch) => {
      if (batch.some(({ accountId }) => accountId === 1)) {
        entered.resolve()
        await gate.promise
        throw new Error('the process is gone')
      }
      await here.handler(batch)
    })
    await appendFor(first, 1, 0)
    await entered.promise
    for (let thousand = 0; thousand < 3; thousand++)
      await appendFor(first, 1, ...Array.from({ length: 1000 }, (_, n) => thousand * 1000 + n + 1))
    await appendFor(first, 17, 1)
    const lanes = () => db.selectFrom('outbox_lanes').select('account_id').execute()
    await expect.poll(lanes).toEqual([{ account_id: 1 }])
    await expect.poll(() => here.seen).toEqual([17_001])
    const stopped = first[Symbol.asyncDispose]()
    gate.resolve()
    await stopped
    const there = recorder()
    const second = await node(all, there.handler)
    await second.drain()
    expect(there.seen.filter((number) => number < 10_000)).toEqual(
      Array.from({ length: 3001 }, (_, n) => 1000 + n),
    )
    expect(await lanes()).toEqual([])
  })
})

describe('a consumer that is called once', () => {
  /** Adds up numbers in a table; `crash` is thrown after the commit, before the platform records it. */
  async function startSum(crash: () => void): Promise<Events> {
    await sql`create table if not exists sums (number integer not null)`.execute(db)
    const events = new Events({ db, address, log, metrics: new Metrics(), checksWrites: true })
    running.push(events)
    events.consume({
      name: 'sum',
      topics: [thingChanged],
      partition: () => 0,
      handleOnce: async (batch, tx) => {
        for (const number of numbersOf(batch)) await sql`insert into sums values (${number})`.execute(tx)
        return crash
      },
    })
    await events.start()
    return events
  }
  const sums = async () => (await sql<{ number: number }>`select number from sums`.execute(db)).rows

  test('does nothing twice when it dies between its commit and the note of the cursor', async () => {
    let crashes = 0
    const events = await startSum(() => {
      if (crashes++ === 0) throw new Error('dies here')
    })
    await append(events, 1, 2)
    await events.drain()
    await events[Symbol.asyncDispose]()
    // Simulates a cursor that was not saved: all events are delivered again, to a new process.
    await db.updateTable('outbox_cursors').set({ last_xid: '0', last_id: 0 }).execute()
    const next = await startSum(() => undefined)
    await append(next, 3)
    await next.drain()
    expect(await sums()).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
    expect(await db.selectFrom('outbox_failures').selectAll().execute()).toEqual([])
    await next.clean()
    expect(await db.selectFrom('outbox_handled').selectAll().execute(), 'notes are not kept').toEqual([])
  })
})
