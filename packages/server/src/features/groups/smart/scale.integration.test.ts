import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { devicesTotal, seedCity, timed } from '../../../../test/city.ts'
import { FakeClock, startApp, type TestApp } from '../../../../test/kit.ts'
import { thresholdChanged } from '../../../topics/thresholdChanged.ts'
import { PacketClock } from './clock.ts'

/** `TIMES=1` prints how long everything takes with 100 000 devices, and also lets an hour end, which takes minutes. */
const hourMs = 3_600_000
const clock = new FakeClock('2027-03-01T10:59:59.000Z')
let app: TestApp
let groupId: number
let events = 0

beforeAll(async () => {
  app = await startApp({
    clock,
    prepare: ({ events: topics }) =>
      topics.consume({
        name: 'test.thresholds',
        topics: [thresholdChanged],
        partition: ({ payload }) => payload.twinId,
        handle: async (found) => {
          events += found.length
        },
      }),
  })
  await seedCity(app)
  const { db } = app.ctx
  const hour = Math.floor(clock.now().getTime() / hourMs)
  await sql`update packet_rounds set hour = ${hour}, since = '2027-01-01'`.execute(db)
  await sql`update twins set created_at = '2027-01-01'`.execute(db)
  await sql`update device_live set packets = 5000, last_seen = ${clock.now()}`.execute(db)
  await sql`insert into device_packets (twin_id, counted, taken, hour, hours, day, days, usual)
    select twin_id, 4999, ${hour}, ${hour - 1}, array_fill(1, array[192]), ${Math.floor((hour - 1) / 24)}, array_fill(24, array[64]), 24
    from device_live`.execute(db)
  await sql`vacuum analyze device_live, device_packets`.execute(db)
  const accounts = await sql<{ id: number }>`select id from accounts`.execute(db)
  const group = await app.api.smartGroup.create({
    title: 'The whole city',
    accountId: app.rootAccountId,
    filter: { account_ids: accounts.rows.map(({ id }) => id) },
  })
  groupId = group.id
}, 180_000)

test('a group of 100 000 devices is opened without reading a packet', async () => {
  const id = groupId
  const counts = await timed('smart group: counts of its devices', () =>
    app.api.smartGroup.deviceStatistics({ id }),
  )
  expect(counts.devices).toBe(devicesTotal)
  const packets = await timed('smart group: its packets', () => app.api.smartGroup.packetStatistics({ id }))
  expect(packets).toMatchObject({
    devices: devicesTotal,
    active: devicesTotal,
    received: 24 * devicesTotal + devicesTotal,
    expected: 24 * devicesTotal,
    low: null,
  })
  expect(packets.hours.at(-1)?.packets).toBe(devicesTotal)
  const page = await timed('smart group: a page of its devices', () => app.api.smartGroup.execute({ id }))
  expect(page.total).toBe(devicesTotal)
  await timed('smart group: all three at once', () =>
    Promise.all([
      app.api.smartGroup.deviceStatistics({ id }),
      app.api.smartGroup.packetStatistics({ id }),
      app.api.smartGroup.execute({ id }),
    ]),
  )
})

const hourEnds = async () => {
  const { filter, title } = await app.api.smartGroup.get({ id: groupId })
  await app.api.smartGroup.update({
    id: groupId,
    version: 1,
    title,
    filter,
    monitoring: { expected: 'learned', windowHours: 24, threshold: 50, hysteresis: 10 },
  })
  await app.drain()
  expect(events).toBe(0)
  clock.advance(2_000)
  let begin = performance.now()
  const took = (what: string) => {
    console.log(`${Math.round(performance.now() - begin)} ms  ${what}`)
    begin = performance.now()
  }
  await new PacketClock(app.ctx).settle()
  took('100 000 devices that sent something, counted and compared')
  expect(events).toBe(0)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from device_packets where counted = 5000`.execute(app.ctx.db)
  expect(rows[0]?.count).toBe(devicesTotal)
  clock.advance(24 * hourMs)
  begin = performance.now()
  await new PacketClock(app.ctx).settle()
  took('100 000 silent devices compared and low')
  await app.app.drain()
  took('every low device has an alarm')
  expect(events).toBe(devicesTotal)
}
if (process.env.TIMES) test('when an hour ends, 100 000 devices are counted and compared', hourEnds, 900_000)
