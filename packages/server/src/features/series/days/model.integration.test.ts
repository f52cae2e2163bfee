import type { JsonValue } from '@leitstand/contract/common'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { fuzzing } from '../../../../test/fuzz.ts'
import { FakeClock, startApp, type TestApp } from '../../../../test/kit.ts'
import { createState, createTwin } from '../../../../test/pipeline.ts'
import { fromColumns, type ValueRow } from '../values.ts'
import { packedColumns, valuesOf } from './read.ts'

const clock = new FakeClock('2026-11-20T12:00:00.000Z')
const dayMs = 86_400_000
let app: TestApp
let twin: number
let states = 0
let first = Date.parse('2024-01-01T00:00:00Z')

beforeAll(async () => {
  app = await startApp({ clock, config: { compactAfterDays: 7 } })
  twin = await createTwin(app, { accountId: app.rootAccountId, scopeId: app.rootScopeId })
})

/** Day, hour and milliseconds; few, so that they meet again. */
const moment = fc.tuple(
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 0, max: 23 }),
  fc.constantFrom(0, 1, 999, 1_800_000),
)
const change = fc.record({
  place: fc.integer({ min: 0, max: 1 }),
  moment,
  value: fc.oneof(
    fc.integer({ min: -90, max: 90 }).map((number) => number / 10),
    // A correction from 0 to -0 changes nothing.
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  ),
})
const changes = fc.array(change, { minLength: 1, maxLength: 30 })
const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), changes }),
  fc.record({ kind: fc.constant('correct' as const), changes }),
  fc.record({ kind: fc.constant('delete' as const), changes }),
  fc.record({ kind: fc.constant('compact' as const) }),
)

interface Change {
  place: number
  stateId: number
  time: Date
  value: number
}

/** What is stored of each state, by time. */
type Model = Map<number, number>[]

/** As a correction would do it, with the same outcome. */
async function perform(kind: 'correct' | 'delete' | 'write', all: readonly Change[]): Promise<void> {
  if (kind === 'write') return app.app.series.write(all)
  await app.app.series.corrections.correct(
    all.map(({ time }) => time),
    async (_tx, apply) => apply(kind === 'correct' ? { set: all, remove: [] } : { set: [], remove: all }),
  )
}

function follow(model: Model, kind: 'correct' | 'delete' | 'write', all: readonly Change[]): void {
  const before = model.map((own) => new Set(own.keys()))
  for (const { place, time, value } of all) {
    const ms = time.getTime()
    if (kind === 'delete') model[place]?.delete(ms)
    // What is stored already stays; of several in one call the last one counts.
    else if (kind === 'correct' || before[place]?.has(ms) === false) model[place]?.set(ms, value)
  }
}

const ordered = (own: ReadonlyMap<number, number> | undefined) =>
  [...(own ?? [])].toSorted(([a], [b]) => a - b)

async function stored(stateId: number): Promise<[number, JsonValue][]> {
  const { rows } = await sql<ValueRow & { ms: number }>`
    select (extract(epoch from time) * 1000)::float8 as ms, num, txt, bool, json
    from ${valuesOf({ state: sql`${stateId}` })} as v order by v.time`.execute(app.ctx.db)
  return rows.map((row) => [row.ms, fromColumns(row)])
}

/** Compacted rows whose times overlap with those of the next one, or that are of two days. */
async function overlapping(stateIds: readonly number[]): Promise<unknown[]> {
  const { rows } = await sql`
    select * from (
      select packed.state_id, packed.first_time, (select max(time) from values_of_day(${packedColumns})) as last_time,
        lead(packed.first_time) over (partition by packed.state_id order by packed.first_time) as next_time
      from value_days packed where packed.state_id = any(${[...stateIds]}::int[])) as d
    where last_time >= next_time or date_trunc('day', first_time, 'UTC') <> date_trunc('day', last_time, 'UTC')`.execute(
    app.ctx.db,
  )
  return rows
}

it('late values, corrections and deletions in any order leave what they would without compaction', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const ids = [
        await createState(app, twin, { key: `state_${++states}` }),
        await createState(app, twin, { key: `state_${++states}` }),
      ]
      first += 7 * dayMs
      const model: Model = ids.map(() => new Map())
      for (const each of steps) {
        if (each.kind === 'compact') await app.app.series.compact()
        else {
          const all = each.changes.map(({ place, moment: [day, hour, ms], value }) => ({
            place,
            stateId: ids[place] as number,
            time: new Date(first + day * dayMs + hour * 3_600_000 + ms),
            value,
          }))
          await perform(each.kind, all)
          follow(model, each.kind, all)
        }
        for (const [place, id] of ids.entries()) expect(await stored(id)).toEqual(ordered(model[place]))
        expect(await overlapping(ids)).toEqual([])
      }
      const current = await app.app.series.current(app.ctx.db, ids)
      for (const [place, id] of ids.entries()) {
        const newest = current.get(id)
        expect(newest && [newest.time.getTime(), newest.value]).toEqual(ordered(model[place]).at(-1))
      }
    }),
    fuzzing(40),
  )
}, 300_000)
