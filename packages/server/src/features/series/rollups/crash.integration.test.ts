import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KilledDatabase } from '../../../../test/killedDatabase.ts'
import { FakeClock, startApp, type TestApp } from '../../../../test/kit.ts'
import { compareWithValues, writeValues, wrongRollups } from '../../../../test/rollups.ts'
import { Metrics } from '../../../platform/metrics.ts'
import { Roller } from './roller.ts'

const clock = new FakeClock('2026-11-20T12:00:00.000Z')
const stateIds = [1_000_001, 1_000_002, 1_000_003]
let app: TestApp
let database: KilledDatabase
let roller: Roller

beforeAll(async () => {
  app = await startApp({ clock })
  // The one of the app must not do the work of the one that is interrupted.
  await app.app.series[Symbol.asyncDispose]()
  database = new KilledDatabase(app, 'roll-ups')
  roller = new Roller({ ...app.ctx, db: database.db, metrics: new Metrics() })
})
afterAll(() => database.end())

/** Some early, some late, some again; in crowds and alone; with each round an hour later. */
async function write(round: number): Promise<void> {
  const base = Date.UTC(2026, 10, 18) + (round % 40) * 3_600_000
  const values = stateIds.flatMap((stateId, index) =>
    Array.from({ length: 40 }, (_, n) => ({
      stateId,
      value: (round * 40 + n) / 8,
      time: new Date(base + (n % 4 === 0 ? -n * 1_700_000 : n * (index + 1) * 20_000)),
    })),
  )
  await writeValues(app, values)
}

async function compare(): Promise<void> {
  const range = { start: new Date('2026-11-16T07:13:00Z'), end: new Date('2026-11-20T12:00:00Z') }
  for (const duration of ['15m', '1mo'] as const)
    await compareWithValues(app.ctx.db, stateIds, range, duration, 'Asia/Kolkata')
}

describe('roll-ups that are interrupted', () => {
  it('between any two statements lose nothing, are never wrong meanwhile, and go on', async () => {
    let kills = 0
    for (let at = 1; ; at++) {
      await write(at)
      database.killAt(at)
      const outcome = await roller.settle().then(
        () => 'done',
        () => 'interrupted',
      )
      await compare()
      if (outcome === 'done') break
      kills++
    }
    database.killAt(Number.POSITIVE_INFINITY)
    expect(kills).toBeGreaterThan(15)
    await roller.settle()
    await compare()
    // The day of the newest values is not over yet.
    clock.set('2026-12-31T00:00:00Z')
    await roller.settle()
    expect(await wrongRollups(app.ctx.db, stateIds)).toEqual([])
  }, 300_000)
})
