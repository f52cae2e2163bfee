import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import {
  type GeofenceArea,
  type GeofenceMode,
  type GeofenceTrigger,
  geofenceModes,
  isDwelling,
  isProximity,
} from '@leitstand/contract/rules/triggers/geofence'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createAccount,
  createUser,
  errorOf,
  roleNamed,
  startApp,
  type TestApp,
} from '../../../../test/kit.ts'
import { createConnector, createDevice } from '../../../../test/pipeline.ts'
import { createState, createTwin, writeValues } from '../../../../test/twins.ts'
import { metresToEdge, type Shape, shapeOf } from '../../../platform/geo/distance.ts'
import { type FenceState, judgePosition } from '../triggers/geofence/judge.ts'

/** The clock of the server is this far ahead of that of its database, which notes when a position arrived. */
let aheadMs = 0
let app: TestApp
let account: { id: number; scopeId: number }

const clock = { now: () => new Date(Date.now() + aheadMs) }

beforeAll(async () => {
  app = await startApp({ clock })
  account = await createAccount(app)
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => {
  aheadMs = 0
})

/** The yard is a square of about 1.1 km north and 0.65 km east of its corner. */
const corner = { latitude: 54, longitude: 10 }
const square = (west = corner.longitude, south = corner.latitude): GeoPolygon => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, south],
      [west + 0.01, south],
      [west + 0.01, south + 0.01],
      [west, south + 0.01],
      [west, south],
    ],
  ],
})
const inside = [54.005, 10.005] as const
const outside = [54.005, 10.02] as const
const far = [48, 11] as const

async function createZone(title: string, geoPolygon: GeoPolygon | null = square(), of = account) {
  const { id } = await createTwin(app, of, { title })
  await app.ctx.db
    .updateTable('twins')
    .set({ type: 'zone', geo_polygon: geoPolygon === null ? null : JSON.stringify(geoPolygon) })
    .where('id', '=', id)
    .execute()
  return id
}

/** A twin whose states move it. */
async function createTracker(of = account, parentId?: number) {
  const { id } = await createTwin(app, of, parentId === undefined ? {} : { parentId })
  const latitude = await createState(app, id, 'latitude')
  const longitude = await createState(app, id, 'longitude')
  return { id, latitude, longitude }
}

let minute = 0
/** Positions a minute apart, in the past; each of them arrives on its own. */
async function move(
  { latitude, longitude }: { latitude: number; longitude: number },
  ...places: readonly (readonly [latitude: number, longitude: number])[]
) {
  for (const [north, east] of places) {
    const time = new Date(Date.now() - 10 * 3_600_000 + ++minute * 60_000)
    await writeValues(app, [
      { stateId: latitude, value: north, time },
      { stateId: longitude, value: east, time },
    ])
  }
  await app.drain()
}

type Given = Partial<GeofenceTrigger> & { mode: GeofenceMode; area: GeofenceArea }

async function createRule(twinId: number, trigger: Given, title = 'Fence', api = app.api) {
  const state = await createState(app, twinId, `level${Math.random()}`)
  const rule = await api.ddr.create({
    dtwinId: twinId,
    title,
    triggers: [{ kind: 'geofence', ...trigger }],
    metrics: [{ alias: 'level', stateId: state, operation: 'latest', abortIfNull: false }],
    conditions: { op: 'eq', left: { value: 1 }, right: { value: 1 } },
    actions: [{ kind: 'alarm', severity: 'warning', message: 'crossed' }],
  })
  // Positions of the next moment may be judged before the rule is heard of.
  await app.ctx.configChanges.settle()
  return rule
}

/** What woke a rule, oldest first. */
async function causes(ruleId: number) {
  const { items } = await app.api.ddr.executionHistory({ id: ruleId, limit: 500 })
  return items.map(({ cause }) => cause).toReversed()
}

const zones = (...zoneIds: number[]): GeofenceArea => ({ kind: 'zones', zoneIds })

async function restart() {
  await app[Symbol.asyncDispose]()
  app = await startApp({ address: app.address, clock })
}

describe('a tracker', () => {
  it('that sends packets wakes a rule when it enters a zone', async () => {
    const connector = await createConnector(app)
    const deviceId = await createDevice(app, connector, 'fence-tracker')
    const zone = await createZone('Yard', square(), { id: app.rootAccountId, scopeId: app.rootScopeId })
    const rule = await createRule(deviceId, { mode: 'enter', area: zones(zone) })
    for (const [latitude, longitude] of [outside, inside, inside]) {
      const packet = { identifier: 'fence-tracker', data: { latitude, longitude } }
      const message = { connector, packets: [packet], raw: JSON.stringify(packet), receivedAt: new Date() }
      await app.app.ingest.submit(message as Parameters<typeof app.app.ingest.submit>[0])
      await app.drain()
    }
    expect(await causes(rule.id)).toEqual([
      { kind: 'geofence', mode: 'enter', twinId: deviceId, targetId: zone },
    ])
  })

  it.each([
    ['enter', [outside, inside, inside, outside, inside], 2],
    ['exit', [inside, outside, far, inside, far], 2],
    ['proximity_closing', [far, [54.005, 10.03], [54.005, 10.017], [54.005, 10.012]], 1],
    ['proximity_movingout', [inside, outside, [54.005, 10.018], [54.005, 10.03], far], 1],
  ] as [GeofenceMode, [number, number][], number][])('wakes a rule: %s', async (mode, places, times) => {
    const zone = await createZone('Yard')
    const tracker = await createTracker()
    const rule = await createRule(tracker.id, { mode, area: zones(zone), distance: 500 })
    await move(tracker, ...places)
    const cause = { kind: 'geofence', mode, twinId: tracker.id, targetId: zone }
    expect(await causes(rule.id)).toEqual(Array.from({ length: times }, () => cause))
  })

  it('wakes no rule by its first position, nor by one that jumps about the edge', async () => {
    const zone = await createZone('Yard')
    const tracker = await createTracker()
    const enter = await createRule(tracker.id, { mode: 'enter', area: zones(zone), margin: 50 }, 'Enter')
    const exit = await createRule(tracker.id, { mode: 'exit', area: zones(zone), margin: 50 }, 'Exit')
    // About 33 metres beyond the edge, and 33 metres within it.
    const [beyond, within] = [
      [54.005, 10.0105],
      [54.005, 10.0095],
    ] as const
    await move(tracker, inside, beyond, within, beyond, within)
    expect(await causes(enter.id)).toEqual([])
    expect(await causes(exit.id)).toEqual([])
    await move(tracker, outside, beyond, within, beyond, within)
    expect(await causes(enter.id)).toHaveLength(1)
    expect(await causes(exit.id)).toHaveLength(1)
  })

  it('crosses a circle, and each of several zones on its own', async () => {
    const tracker = await createTracker()
    const circle = { kind: 'circle', latitude: inside[0], longitude: inside[1], radius: 300 } as const
    const round = await createRule(tracker.id, { mode: 'enter', area: circle }, 'Circle')
    const [west, east] = [await createZone('West'), await createZone('East', square(10.02))]
    const both = await createRule(tracker.id, { mode: 'enter', area: zones(west, east) }, 'Zones')
    await move(tracker, far, inside, [54.005, 10.025], far)
    const cause = { kind: 'geofence', mode: 'enter', twinId: tracker.id }
    expect(await causes(round.id)).toEqual([{ ...cause, targetId: null }])
    expect(await causes(both.id)).toEqual([
      { ...cause, targetId: west },
      { ...cause, targetId: east },
    ])
  })

  it.each([
    ['exit', inside, outside],
    ['enter', outside, inside],
  ] as const)(
    'begins a new rule (%s) where it was, and crosses with its next position',
    async (mode, from, to) => {
      const zone = await createZone('Yard')
      const fleet = await createTwin(app, account)
      const tracker = await createTracker(account, fleet.id)
      await move(tracker, far, from)
      const own = await createRule(tracker.id, { mode, area: zones(zone) }, 'Own')
      const all = await createRule(fleet.id, { mode, area: zones(zone), below: true }, 'All')
      await move(tracker, to)
      const cause = { kind: 'geofence', mode, twinId: tracker.id, targetId: zone }
      expect(await causes(own.id)).toEqual([cause])
      expect(await causes(all.id)).toEqual([cause])
      await move(tracker, from, to)
      expect(await causes(own.id)).toEqual([cause, cause])
    },
  )

  it('below the twin of a rule wakes it, others do not', async () => {
    const zone = await createZone('Yard')
    const fleet = await createTwin(app, account)
    const group = await createTwin(app, account, { parentId: fleet.id })
    const [one, other, foreign] = [
      await createTracker(account, group.id),
      await createTracker(account, fleet.id),
      await createTracker(),
    ]
    const rule = await createRule(fleet.id, { mode: 'exit', area: zones(zone), below: true })
    for (const tracker of [one, other, foreign]) await move(tracker, inside)
    for (const tracker of [foreign, other, one]) await move(tracker, outside)
    const cause = { kind: 'geofence', mode: 'exit', targetId: zone }
    expect(await causes(rule.id)).toEqual([
      { ...cause, twinId: other.id },
      { ...cause, twinId: one.id },
    ])
  })

  it('that is moved below the twin of a rule is new to it', async () => {
    const zone = await createZone('Yard')
    const fleet = await createTwin(app, account)
    const watched = await createTracker()
    await createRule(watched.id, { mode: 'enter', area: zones(zone) }, 'Own')
    await move(watched, inside)
    const rule = await createRule(fleet.id, { mode: 'enter', area: zones(zone), below: true })
    const read = await app.api.digitaltwin.get({ id: watched.id })
    await app.api.digitaltwin.update({ ...read, parentId: fleet.id })
    await move(watched, [54.006, 10.006])
    expect(await causes(rule.id)).toEqual([])
    await move(watched, outside, inside)
    expect(await causes(rule.id)).toHaveLength(1)
  })

  it('without a position is nowhere; its next position is the first', async () => {
    const zone = await createZone('Yard')
    const tracker = await createTracker()
    const enter = await createRule(tracker.id, { mode: 'enter', area: zones(zone) }, 'Enter')
    const exit = await createRule(tracker.id, { mode: 'exit', area: zones(zone) }, 'Exit')
    await move(tracker, outside, inside)
    const read = await app.api.digitaltwin.get({ id: tracker.id })
    await app.api.digitaltwin.update({ ...read, latitude: null, longitude: null })
    await app.drain()
    await move(tracker, outside)
    expect(await causes(enter.id)).toHaveLength(1)
    expect(await causes(exit.id)).toHaveLength(0)
  })
})

describe('staying', () => {
  it('inside for some time wakes a rule once each time, by the clock or by the next position', async () => {
    const zone = await createZone('Yard')
    const tracker = await createTracker()
    const trigger = { mode: 'dwelltime', minutes: 30, area: zones(zone) } as const
    const rule = await createRule(tracker.id, trigger)
    const [first, next] = [-100, -65].map((ago) => new Date(Date.now() + ago * 60_000)) as [Date, Date]
    const at = (time: Date, [latitude, longitude]: readonly [number, number]) =>
      writeValues(app, [
        { stateId: tracker.latitude, value: latitude, time },
        { stateId: tracker.longitude, value: longitude, time },
      ])
    // The first position counts, and the one outside says that the time was over.
    await at(first, inside)
    await at(next, outside)
    await app.drain()
    const cause = { kind: 'geofence', mode: 'dwelltime', twinId: tracker.id, targetId: zone }
    expect(await causes(rule.id)).toEqual([cause])
    await at(new Date(), inside)
    aheadMs = 29 * 60_000
    await app.drain()
    expect(await causes(rule.id)).toHaveLength(1)
    aheadMs = 31 * 60_000
    await app.drain()
    expect(await causes(rule.id)).toEqual([cause, cause])
    aheadMs = 90 * 60_000
    await at(new Date(), [54.004, 10.004])
    await app.drain()
    expect(await causes(rule.id)).toHaveLength(2)
  })

  it('outside of all zones for some time wakes a rule, also over a restart', async () => {
    const [west, east] = [await createZone('West'), await createZone('East', square(10.02))]
    const tracker = await createTracker()
    const area = zones(west, east)
    const rule = await createRule(tracker.id, { mode: 'dwelltime_out', minutes: 20, area })
    const enter = await createRule(tracker.id, { mode: 'enter', area: zones(west) }, 'Enter')
    const now = async (latitude: number, longitude: number) => {
      await writeValues(app, [
        { stateId: tracker.latitude, value: latitude, time: new Date() },
        { stateId: tracker.longitude, value: longitude, time: new Date() },
      ])
      await app.drain()
    }
    await now(...inside)
    await now(54.005, 10.025)
    aheadMs = 60 * 60_000
    await app.drain()
    expect(await causes(rule.id)).toEqual([])
    aheadMs = 0
    await now(...far)
    await restart()
    aheadMs = 19 * 60_000
    await app.drain()
    expect(await causes(rule.id)).toEqual([])
    aheadMs = 21 * 60_000
    await app.drain()
    const cause = { kind: 'geofence', mode: 'dwelltime_out', twinId: tracker.id, targetId: null }
    expect(await causes(rule.id)).toEqual([cause])
    await restart()
    aheadMs = 90 * 60_000
    await app.drain()
    expect(await causes(rule.id)).toEqual([cause])
    // Nothing was forgotten, and nothing happens twice.
    await now(...inside)
    expect(await causes(enter.id)).toHaveLength(1)
    await restart()
    await now(54.006, 10.006)
    expect(await causes(enter.id)).toHaveLength(1)
  })
})

/**
 * What positions of one twin mean for a fence, judged one after the other by every area, however far away.
 * @param isOver afterwards the twin was none of the rule's any more
 */
function expectedWakes(
  { mode, area, margin = 10, ...rest }: Given,
  polygons: ReadonlyMap<number, GeoPolygon>,
  positions: readonly { latitude: number; longitude: number; timeMs: number }[],
  isOver = false,
) {
  const shapes: [targetId: number | null, shapes: Shape[]][] =
    area.kind === 'zones'
      ? area.zoneIds.map((id) => [id, [shapeOf(polygons.get(id) as GeoPolygon)]])
      : [[null, area.kind === 'circle' ? [area] : []]]
  const counted: typeof shapes =
    mode === 'dwelltime_out' ? [[null, shapes.flatMap(([, each]) => each)]] : shapes
  return counted.flatMap(([targetId, each]) => {
    let state: FenceState | null = null
    const woken = positions.filter((place) => {
      const metres = Math.min(...each.map((shape) => metresToEdge(place, shape)))
      const judged = judgePosition({ mode, margin, ...rest }, state, metres, place.timeMs)
      state = judged.state
      return judged.wakes
    })
    // All of it was long ago: who still stays has stayed long enough by now.
    const pending = (state as FenceState | null)?.dueMs ?? null
    return Array.from({ length: woken.length + (pending === null || isOver ? 0 : 1) }, () => targetId)
  })
}

describe('random walks', () => {
  it('wake rules as often as the slow model', async () => {
    const step = fc.record({
      who: fc.nat(2),
      latitude: fc.integer({ min: 53_990, max: 54_030 }).map((each) => each / 1000),
      longitude: fc.integer({ min: 9_990, max: 10_050 }).map((each) => each / 1000),
      minutes: fc.integer({ min: 1, max: 9 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
        const fleet = await createTwin(app, account)
        const trackers = await Promise.all([0, 1, 2].map(() => createTracker(account, fleet.id)))
        const polygons = new Map<number, GeoPolygon>()
        for (const [west, south] of [
          [10, 54],
          [10.005, 54.005],
          [10.02, 54.01],
        ] as const) {
          const polygon = square(west, south)
          polygons.set(await createZone('Zone', polygon), polygon)
        }
        const circle = { kind: 'circle', latitude: 54.01, longitude: 10.01, radius: 900 } as const
        const given: Given[] = geofenceModes.flatMap((mode) =>
          [zones(...polygons.keys()), circle].map((area) => ({
            mode,
            area,
            below: true,
            margin: 200,
            ...(isDwelling(mode) ? { minutes: 10 } : {}),
            ...(isProximity(mode) ? { distance: 700 } : {}),
          })),
        )
        const rules = []
        for (const [index, each] of given.entries())
          rules.push(await createRule(fleet.id, each, `Fence ${index}`))
        // The clock has not come to the first position yet: it takes nobody who stays.
        aheadMs = -24 * 3_600_000
        let timeMs = Date.now() - 20 * 3_600_000
        const places = trackers.map((): { latitude: number; longitude: number; timeMs: number }[] => [])
        for (const { who, latitude, longitude, minutes } of steps) {
          timeMs += minutes * 60_000
          const last = places[who]?.at(-1)
          if (last?.latitude === latitude && last.longitude === longitude) continue
          places[who]?.push({ latitude, longitude, timeMs })
          const { latitude: north, longitude: east } = trackers[who] as (typeof trackers)[number]
          const time = new Date(timeMs)
          await writeValues(app, [
            { stateId: north, value: latitude, time },
            { stateId: east, value: longitude, time },
          ])
        }
        await app.drain()
        aheadMs = 0
        await app.drain()
        for (const [index, each] of given.entries()) {
          const expected = trackers.flatMap(({ id: twinId }, who) =>
            expectedWakes(each, polygons, places[who] ?? []).map((targetId) => `${twinId} ${targetId}`),
          )
          const found = (await causes(rules[index]?.id ?? 0)).map((cause) =>
            cause.kind === 'geofence' ? `${cause.twinId} ${cause.targetId}` : cause.kind,
          )
          expect(found.toSorted(), `${each.mode} ${each.area.kind}`).toEqual(expected.toSorted())
        }
      }),
      { numRuns: 3, endOnFailure: true },
    )
  })
})

describe('a twin that moves itself', () => {
  it('is approached, and comes near, whichever of both moves', async () => {
    const [car, person] = [await createTracker(), await createTracker()]
    const area = { kind: 'twin', twinId: person.id, radius: 100 } as const
    const enter = await createRule(car.id, { mode: 'enter', area }, 'Near')
    const closing = await createRule(car.id, { mode: 'proximity_closing', area, distance: 1_000 }, 'Closing')
    const out = await createRule(car.id, { mode: 'proximity_movingout', area, distance: 1_000 }, 'Out')
    await move(person, [54, 10])
    await move(car, [54.1, 10])
    expect(await causes(enter.id)).toEqual([])
    // 945 metres, 56 metres, 12 kilometres, 44 metres.
    await move(car, [54.0085, 10])
    await move(person, [54.008, 10])
    await move(person, [53.9, 10])
    await move(person, [54.0081, 10])
    const cause = { kind: 'geofence', twinId: car.id, targetId: person.id }
    expect(await causes(closing.id)).toEqual(Array(2).fill({ ...cause, mode: 'proximity_closing' }))
    expect(await causes(enter.id)).toEqual(Array(2).fill({ ...cause, mode: 'enter' }))
    expect(await causes(out.id)).toEqual([{ ...cause, mode: 'proximity_movingout' }])
  })

  it('comes near to each of the twins below, which may belong to another account, but not to itself', async () => {
    const fleet = await createTwin(app, account)
    const below = await createAccount(app, { parent: account })
    const [parked, target] = [await createTracker(account, fleet.id), await createTracker(account, fleet.id)]
    const foreign = await createTracker(below, fleet.id)
    const area = { kind: 'twin', twinId: target.id, radius: 100 } as const
    await move(parked, [54.5, 9.5])
    await move(foreign, [54.6, 9.6])
    const rule = await createRule(fleet.id, { mode: 'enter', area, below: true })
    await move(target, far, [54.5, 9.5], [54.55, 9.5])
    await move(foreign, [54.55, 9.5])
    const cause = { kind: 'geofence', mode: 'enter', targetId: target.id }
    expect(await causes(rule.id)).toEqual([
      { ...cause, twinId: parked.id },
      { ...cause, twinId: foreign.id },
    ])
  })
})

describe('a rule for many', () => {
  /** Everything of type trackable below a twin. */
  const trackables = (twinId: number) => ({ query: { twinId, types: ['trackable' as const] } })
  const createMany = (twinId: number, trigger: Given, change: object = {}) =>
    app.api.ddr.create({
      dtwinId: twinId,
      title: `Fence ${Math.random()}`,
      many: trackables(twinId),
      triggers: [{ kind: 'geofence', ...trigger }],
      metrics: [{ alias: 'hour', operation: 'clock', clock: 'hour' }],
      conditions: { op: 'gte', left: { metric: 'hour' }, right: { value: 0 } },
      actions: [{ kind: 'alarm', severity: 'warning', message: '{{twin.title}}' }],
      ...change,
    })

  /** Makes a tracker one of the twins of such a rule, or takes it away. */
  async function setMember(twinId: number, isMember: boolean) {
    await app.ctx.db
      .updateTable('twins')
      .set({ type: isMember ? 'trackable' : 'default' })
      .where('id', '=', twinId)
      .execute()
    await settle()
  }

  async function settle() {
    await app.ctx.configChanges.settle()
    await app.drain()
  }

  async function createMember(parentId: number, title: string) {
    const tracker = await createTracker(account, parentId)
    await app.ctx.db.updateTable('twins').set({ title }).where('id', '=', tracker.id).execute()
    await setMember(tracker.id, true)
    return tracker
  }

  /** On which twins a rule was evaluated, oldest first. */
  async function places(ruleId: number) {
    const { items } = await app.api.ddr.executionHistory({ id: ruleId, limit: 500 })
    return items.map(({ twinTitle, cause }) => `${twinTitle} ${cause.kind}`).toReversed()
  }

  it('is woken on the twin that crosses the fence, and only there', async () => {
    const [zone, fleet] = [await createZone('Yard'), await createTwin(app, account)]
    const [one, two] = [await createMember(fleet.id, 'One'), await createMember(fleet.id, 'Two')]
    const other = await createTracker(account, fleet.id)
    const rule = await createMany(fleet.id, { mode: 'enter', area: zones(zone) })
    expect(rule.twins).toEqual({ total: 2, beyond: 0 })
    for (const tracker of [one, two, other]) await move(tracker, outside)
    await move(two, inside)
    await move(other, inside)
    await move(one, inside, far)
    expect(await places(rule.id)).toEqual(['Two geofence', 'One geofence'])
    expect(await causes(rule.id)).toEqual(
      [two, one].map(({ id: twinId }) => ({ kind: 'geofence', mode: 'enter', twinId, targetId: zone })),
    )
    const { items } = await app.api.ddr.executions({ dtwinId: one.id })
    expect(items).toMatchObject([{ ruleId: rule.id, twinTitle: 'One' }])
  })

  it('knows nothing of a twin from before it was one of its own, over restarts as well', async () => {
    const [zone, fleet] = [await createZone('Yard'), await createTwin(app, account)]
    const one = await createMember(fleet.id, 'One')
    const area = zones(zone)
    const enter = await createMany(fleet.id, { mode: 'enter', area })
    const exit = await createMany(fleet.id, { mode: 'exit', area })
    // Another rule has known it all along.
    const own = await createRule(one.id, { mode: 'exit', area })
    await move(one, outside, inside)
    expect(await places(enter.id)).toEqual(['One geofence'])
    await setMember(one.id, false)
    await restart()
    await move(one, outside, inside)
    await setMember(one.id, true)
    // Its first position as one of the rule's twins.
    await move(one, [54.006, 10.006])
    await restart()
    expect(await places(enter.id)).toEqual(['One geofence'])
    expect(await places(exit.id)).toEqual([])
    await move(one, outside)
    expect(await places(exit.id)).toEqual(['One geofence'])
    // It goes and comes back between two positions.
    await move(one, inside)
    await setMember(one.id, false)
    await setMember(one.id, true)
    await move(one, outside)
    expect(await places(enter.id)).toEqual(['One geofence', 'One geofence'])
    expect(await places(exit.id)).toEqual(['One geofence'])
    expect(await causes(own.id)).toHaveLength(3)
    const left = await app.ctx.db
      .selectFrom('rule_fence_states')
      .select('fence_id')
      .where('twin_id', '=', one.id)
      .execute()
    expect(left).toEqual([])
  })

  it('waits for each twin, but not for one that has left', async () => {
    const [zone, fleet] = [await createZone('Yard'), await createTwin(app, account)]
    const [one, two] = [await createMember(fleet.id, 'One'), await createMember(fleet.id, 'Two')]
    const rule = await createMany(fleet.id, { mode: 'dwelltime', minutes: 30, area: zones(zone) })
    const now = (tracker: typeof one, [latitude, longitude]: readonly [number, number]) =>
      writeValues(app, [
        { stateId: tracker.latitude, value: latitude, time: new Date() },
        { stateId: tracker.longitude, value: longitude, time: new Date() },
      ])
    await now(one, inside)
    await now(two, inside)
    await app.drain()
    await setMember(two.id, false)
    await restart()
    aheadMs = 29 * 60_000
    await app.drain()
    expect(await places(rule.id)).toEqual([])
    aheadMs = 31 * 60_000
    await app.drain()
    expect(await places(rule.id)).toEqual(['One geofence'])
  })

  it('follows what moves, whichever of both does', async () => {
    const fleet = await createTwin(app, account)
    const [one, two] = [await createMember(fleet.id, 'One'), await createMember(fleet.id, 'Two')]
    const lead = await createTracker()
    const area = { kind: 'twin', twinId: lead.id, radius: 100 } as const
    const rule = await createMany(fleet.id, { mode: 'enter', area })
    await move(one, [54.5, 9.5])
    await move(two, [54.6, 9.6])
    await move(lead, far, [54.5, 9.5], [54.6, 9.6])
    await move(one, [54.6, 9.6])
    expect(await places(rule.id)).toEqual(['One geofence', 'Two geofence', 'One geofence'])
    await setMember(one.id, false)
    await move(lead, far, [54.6, 9.6])
    expect(await places(rule.id)).toEqual(['One geofence', 'Two geofence', 'One geofence', 'Two geofence'])
  })

  it('starts over when it becomes a rule for its own twin, and back', async () => {
    const zone = await createZone('Yard')
    const fleet = await createTracker()
    const one = await createMember(fleet.id, 'One')
    const trigger = { mode: 'exit', area: zones(zone) } as const
    let rule = await createMany(fleet.id, trigger)
    for (const tracker of [fleet, one]) await move(tracker, inside)
    rule = await app.api.ddr.update({ ...rule, many: null })
    const left = { kind: 'geofence', mode: 'exit', twinId: fleet.id, targetId: zone }
    // It begins where its own twin is.
    for (const tracker of [fleet, one]) await move(tracker, outside)
    expect(await causes(rule.id)).toEqual([left])
    for (const tracker of [fleet, one]) await move(tracker, inside, outside)
    expect(await causes(rule.id)).toEqual([left, left])
    await move(one, inside)
    await app.api.ddr.update({ ...rule, many: trackables(fleet.id) })
    for (const tracker of [fleet, one]) await move(tracker, outside)
    expect(await causes(rule.id)).toHaveLength(2)
    for (const tracker of [fleet, one]) await move(tracker, inside, outside)
    expect((await causes(rule.id)).slice(2)).toEqual([
      { kind: 'geofence', mode: 'exit', twinId: one.id, targetId: zone },
    ])
  })

  it('loses a twin that has no position, or is left out, until it is there again', async () => {
    const [zone, fleet] = [await createZone('Yard'), await createTwin(app, account)]
    const one = await createMember(fleet.id, 'One')
    const rule = await createMany(fleet.id, { mode: 'exit', area: zones(zone) })
    await move(one, inside)
    const read = await app.api.digitaltwin.get({ id: one.id })
    await app.api.digitaltwin.update({ ...read, latitude: null, longitude: null })
    await settle()
    await move(one, outside)
    expect(await places(rule.id)).toEqual([])
    await move(one, inside)
    const except = (isExcept: boolean) =>
      app.api.ddr.exceptTwin({ id: rule.id, dtwinId: one.id, except: isExcept })
    await except(true)
    await except(false)
    await move(one, outside)
    expect(await places(rule.id)).toEqual([])
    await move(one, inside, outside)
    expect(await places(rule.id)).toEqual(['One geofence'])
  })

  it('is refused with what is below its twins, and with too many of them for its areas', async () => {
    const fleet = await createTwin(app, await createAccount(app))
    const circle = { kind: 'circle', latitude: 54, longitude: 10, radius: 5 } as const
    expect(await errorOf(createMany(fleet.id, { mode: 'enter', area: circle, below: true }))).toMatchObject({
      code: 'VALIDATION_ERROR',
      data: { issues: [{ path: ['triggers', '0', 'below'], text: 'manyFenceBelow' }] },
    })
    const add = async (type: string, count: number) => {
      const { rows } = await sql<{ id: number }>`
        insert into twins (category, account_id, scope_id, parent_id, title, type, geo_polygon)
        select 'digitalTwin', account_id, scope_id, id, 'Twin ' || n, ${type},
          case when ${type} = 'zone' then ${JSON.stringify(square())}::jsonb end
        from twins, generate_series(1, ${count}) as n where id = ${fleet.id} returning id`.execute(app.ctx.db)
      return rows.map(({ id }) => id)
    }
    const many = await add('zone', 500)
    const areas = Array.from({ length: 10 }, (_, each) => zones(...many.slice(50 * each, 50 * each + 50)))
    const triggers = areas.map((area) => ({ kind: 'geofence' as const, mode: 'enter' as const, area }))
    const { mode, area } = triggers[0] as (typeof triggers)[number]
    const refused = (max: number, found: number) => ({
      code: 'VALIDATION_ERROR',
      data: {
        issues: [
          { path: ['many'], text: 'manyFenceTwins', params: { max: String(max), found: String(found) } },
        ],
      },
    })
    await add('trackable', 2_000)
    const rule = await createMany(fleet.id, { mode, area }, { triggers })
    expect(rule.twins).toEqual({ total: 2_000, beyond: 0 })
    await add('trackable', 1)
    await settle()
    expect((await app.api.ddr.get({ id: rule.id })).twins).toEqual({ total: 2_000, beyond: 1 })
    expect(await errorOf(createMany(fleet.id, { mode, area }, { triggers }))).toMatchObject(
      refused(2_000, 2_001),
    )
    await add('trackable', 8_000)
    const moving = { kind: 'twin', twinId: fleet.id, radius: 5 } as const
    expect(await errorOf(createMany(fleet.id, { mode, area: moving }))).toMatchObject(refused(10_000, 10_001))
    expect((await createMany(fleet.id, { mode, area })).twins).toEqual({ total: 10_001, beyond: 0 })
  })

  /** The positions of a tracker from when it became one of the rules' twins. */
  interface Stay {
    positions: { latitude: number; longitude: number; timeMs: number }[]
    isOver: boolean
  }

  /** Trackers that move, and become and cease to be twins of the rules. @returns the stays of each */
  async function walk(
    trackers: readonly Awaited<ReturnType<typeof createTracker>>[],
    steps: readonly ({ who: number } & (
      | { isMember: boolean }
      | { latitude: number; longitude: number; minutes: number }
    ))[],
  ): Promise<Stay[][]> {
    let timeMs = Date.now() - 20 * 3_600_000
    const stays = trackers.map((): Stay[] => [{ positions: [], isOver: false }])
    const last = trackers.map(() => '')
    for (const step of steps) {
      const { id, latitude: north, longitude: east } = trackers[step.who] as (typeof trackers)[number]
      const mine = stays[step.who] as Stay[]
      const stay = mine.at(-1) as Stay
      if ('isMember' in step) {
        if (step.isMember !== stay.isOver) continue
        await app.drain()
        await setMember(id, step.isMember)
        if (step.isMember) mine.push({ positions: [], isOver: false })
        else stay.isOver = true
        continue
      }
      const { latitude, longitude, minutes } = step
      timeMs += minutes * 60_000
      // A position that stays the same is no event.
      if (last[step.who] === `${latitude} ${longitude}`) continue
      last[step.who] = `${latitude} ${longitude}`
      if (!stay.isOver) stay.positions.push({ latitude, longitude, timeMs })
      const time = new Date(timeMs)
      await writeValues(app, [
        { stateId: north, value: latitude, time },
        { stateId: east, value: longitude, time },
      ])
    }
    return stays
  }

  it('fires as often as the slow model, while twins join and leave', async () => {
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          who: fc.nat(2),
          latitude: fc.integer({ min: 53_995, max: 54_020 }).map((each) => each / 1000),
          longitude: fc.integer({ min: 9_995, max: 10_035 }).map((each) => each / 1000),
          minutes: fc.integer({ min: 1, max: 9 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ who: fc.nat(2), isMember: fc.boolean() }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 40 }), async (steps) => {
        const fleet = await createTwin(app, account)
        const trackers = [
          await createMember(fleet.id, 'One'),
          await createMember(fleet.id, 'Two'),
          await createMember(fleet.id, 'Three'),
        ]
        const polygons = new Map<number, GeoPolygon>()
        for (const [west, south] of [
          [10, 54],
          [10.005, 54.005],
        ] as const) {
          const polygon = square(west, south)
          polygons.set(await createZone('Zone', polygon), polygon)
        }
        const circle = { kind: 'circle', latitude: 54.01, longitude: 10.01, radius: 900 } as const
        const given: Given[] = geofenceModes.flatMap((mode) =>
          [zones(...polygons.keys()), circle].map((area) => ({
            mode,
            area,
            margin: 200,
            ...(isDwelling(mode) ? { minutes: 10 } : {}),
            ...(isProximity(mode) ? { distance: 700 } : {}),
          })),
        )
        const rules = []
        for (const each of given) rules.push(await createMany(fleet.id, each))
        // The clock has not come to the first position yet: it takes nobody who stays.
        aheadMs = -24 * 3_600_000
        const stays = await walk(trackers, steps)
        await app.drain()
        aheadMs = 0
        await app.drain()
        for (const [index, each] of given.entries()) {
          const expected = trackers.flatMap(({ id: twinId }, who) =>
            (stays[who] ?? []).flatMap(({ positions, isOver }) =>
              expectedWakes(each, polygons, positions, isOver).map((targetId) => `${twinId} ${targetId}`),
            ),
          )
          const found = (await causes(rules[index]?.id ?? 0)).map((cause) =>
            cause.kind === 'geofence' ? `${cause.twinId} ${cause.targetId}` : cause.kind,
          )
          expect(found.toSorted(), `${each.mode} ${each.area.kind}`).toEqual(expected.toSorted())
        }
      }),
      { numRuns: 2, endOnFailure: true },
    )
  })
})

describe('changes', () => {
  it('of a polygon count from then on; a zone without one, or deleted, is silent', async () => {
    const zone = await createZone('Yard')
    const tracker = await createTracker()
    const enter = await createRule(tracker.id, { mode: 'enter', area: zones(zone) }, 'Enter')
    const exit = await createRule(tracker.id, { mode: 'exit', area: zones(zone) }, 'Exit')
    const away = await createRule(
      tracker.id,
      { mode: 'dwelltime_out', minutes: 5, area: zones(zone) },
      'Away',
    )
    const change = async (geoPolygon: GeoPolygon | null, type: 'zone' | 'room' = 'zone') => {
      const read = await app.api.digitaltwin.get({ id: zone })
      await app.api.digitaltwin.update({ ...read, type, geoPolygon })
      await app.drain()
    }
    await move(tracker, outside)
    await change(square(10.02))
    await move(tracker, [54.005, 10.025])
    expect(await causes(enter.id)).toHaveLength(1)
    await change(null, 'room')
    await move(tracker, far)
    aheadMs = 90 * 60_000
    await app.drain()
    expect(await causes(exit.id)).toEqual([])
    expect((await causes(away.id)).length).toBeLessThanOrEqual(1)
    const before = await causes(away.id)
    await app.api.digitaltwin.delete({ id: zone })
    await move(tracker, inside, far)
    aheadMs = 900 * 60_000
    await app.drain()
    expect(await causes(enter.id)).toHaveLength(1)
    expect(await causes(exit.id)).toEqual([])
    expect(await causes(away.id)).toEqual(before)
    const uses = await app.ctx.db.selectFrom('uses').selectAll().where('user_id', '=', enter.id).execute()
    expect(uses).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ used_kind: 'twin', used_id: zone, note: 'watches' }),
      ]),
    )
  })

  it('of a trigger or of whether the rule is active begin where the twin is, others forget nothing', async () => {
    const zone = await createZone('Yard')
    const tracker = await createTracker()
    const trigger = { kind: 'geofence', mode: 'exit', area: zones(zone) } as const
    let rule = await createRule(tracker.id, trigger)
    await move(tracker, inside)
    rule = await app.api.ddr.update({ ...rule, title: 'Another name' })
    await move(tracker, outside)
    expect(await causes(rule.id)).toHaveLength(1)
    await move(tracker, inside)
    rule = await app.api.ddr.update({ ...rule, triggers: [{ ...trigger, margin: 20 }] })
    await move(tracker, outside)
    expect(await causes(rule.id)).toHaveLength(2)
    rule = await app.api.ddr.update({ ...rule, active: false })
    await move(tracker, inside, outside)
    rule = await app.api.ddr.update({ ...rule, active: true })
    await move(tracker, [54.005, 10.03])
    expect(await causes(rule.id), 'it was outside already').toHaveLength(2)
    await move(tracker, inside, outside)
    expect(await causes(rule.id)).toHaveLength(3)
    await app.api.ddr.delete({ id: rule.id })
    await move(tracker, inside)
    const left = await app.ctx.db
      .selectFrom('rule_fences')
      .select('id')
      .where('rule_id', '=', rule.id)
      .execute()
    expect(left).toEqual([])
  })
})

describe('a rule is refused', () => {
  const issue = (path: string[], text?: string) => ({
    code: 'VALIDATION_ERROR',
    data: { issues: [expect.objectContaining({ path, ...(text === undefined ? {} : { text }) })] },
  })
  const at = (...path: string[]) => ['triggers', '0', ...path]

  it.each(['dwelltime', 'dwelltime_out'] as const)('without a duration: %s', async (mode) => {
    const tracker = await createTracker()
    const area = { kind: 'circle', latitude: 54, longitude: 10, radius: 5 } as const
    expect(await errorOf(createRule(tracker.id, { mode, area }))).toMatchObject(
      issue(at('minutes'), 'fenceMinutes'),
    )
  })

  it.each(['proximity_closing', 'proximity_movingout'] as const)('without a distance: %s', async (mode) => {
    const tracker = await createTracker()
    const area = { kind: 'circle', latitude: 54, longitude: 10, radius: 5 } as const
    expect(await errorOf(createRule(tracker.id, { mode, area }))).toMatchObject(
      issue(at('distance'), 'fenceDistance'),
    )
  })

  it.each([
    [{ minutes: 0 }, 'minutes'],
    [{ minutes: -1 }, 'minutes'],
    [{ minutes: 1.5 }, 'minutes'],
    [{ minutes: 129_601 }, 'minutes'],
    [{ distance: 0 }, 'distance'],
    [{ distance: -1 }, 'distance'],
    [{ distance: 100_001 }, 'distance'],
    [{ margin: -1 }, 'margin'],
    [{ margin: 10_001 }, 'margin'],
    [{ area: zones() }, 'area'],
    [{ area: zones(...Array.from({ length: 51 }, (_, index) => index + 1)) }, 'area'],
    [{ area: { kind: 'circle', latitude: 54, longitude: 10, radius: 0 } }, 'area'],
    [{ area: { kind: 'circle', latitude: 91, longitude: 10, radius: 5 } }, 'area'],
    [{ area: { kind: 'circle', latitude: 54, longitude: 181, radius: 5 } }, 'area'],
    [{ area: { kind: 'twin', twinId: 1, radius: -5 } }, 'area'],
  ] as [Partial<Given>, string][])('with %j', async (wrong, field) => {
    const tracker = await createTracker()
    const area = { kind: 'circle', latitude: 54, longitude: 10, radius: 5 } as const
    const refused = await errorOf(createRule(tracker.id, { mode: 'enter', area, ...wrong }))
    expect(refused.code).toBe('PARAMETER_VALIDATION_ERROR')
    const { issues } = refused.data as { issues: { path: (string | number)[] }[] }
    expect(issues.map(({ path }) => path.slice(0, 3).map(String))).toContainEqual(at(field))
  })

  it('for a zone without a polygon, another twin, and what its author may not see', async () => {
    const tracker = await createTracker()
    const [bare, room] = [await createZone('Bare', null), await createTwin(app, account)]
    const enter = (area: GeofenceArea, api = app.api) =>
      errorOf(createRule(tracker.id, { mode: 'enter', area }, 'Fence', api))
    expect(await enter(zones(await createZone('Yard'), bare))).toMatchObject(
      issue(at('area', 'zoneIds', '1'), 'fenceZoneBare'),
    )
    expect(await enter(zones(room.id))).toMatchObject(issue(at('area', 'zoneIds', '0'), 'fenceZoneGone'))
    const other = await createAccount(app)
    const [hidden, hiddenTwin] = [await createZone('Hidden', square(), other), await createTwin(app, other)]
    const { api } = await createUser(app, account, [
      { roleId: await roleNamed(app, 'Account administrator') },
    ])
    expect(await enter(zones(hidden), api)).toMatchObject(issue(at('area', 'zoneIds', '0'), 'fenceZoneGone'))
    expect(await enter(zones(2_000_000_000), api)).toMatchObject(
      issue(at('area', 'zoneIds', '0'), 'fenceZoneGone'),
    )
    const area = { kind: 'twin', radius: 5 } as const
    expect(await enter({ ...area, twinId: hiddenTwin.id }, api)).toMatchObject(
      issue(at('area', 'twinId'), 'fenceTwinGone'),
    )
    const rule = await createRule(
      tracker.id,
      { mode: 'enter', area: { ...area, twinId: room.id } },
      'Seen',
      api,
    )
    const changed = api.ddr.update({
      ...rule,
      triggers: [{ kind: 'geofence', mode: 'exit', area: zones(hidden) }],
    })
    expect(await errorOf(changed)).toMatchObject(issue(at('area', 'zoneIds', '0'), 'fenceZoneGone'))
  })
})
