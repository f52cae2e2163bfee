import { setTimeout as delay } from 'node:timers/promises'
import type { Api } from '../client.ts'
import { addFollowers, buildFleet } from '../fleet.ts'
import { nextBody } from '../load/uplinks.ts'
import type { Platform } from '../platform.ts'

const devicesTotal = 10
const usualSequence = 1
/** Warm enough for the rule. */
const warmSequence = 1000
const alarmMaxMs = 30_000
const pollMs = 100

/** Objects with values, for the screens of a single object. */
export interface Sample {
  deviceId: number
  driverId: number
  twinId: number
  dashboardId: number
}

/** Creates, through the API: devices with values, a twin whose rule has raised an alarm, and a dashboard. */
export async function makeSample(api: Api, platform: Platform, signal: AbortSignal): Promise<Sample> {
  const fleet = await buildFleet(api, platform, { protocols: ['http'], devices: devicesTotal }, signal)
  const group = fleet.groups[0]
  const device = group?.devices[0]
  if (group === undefined || device === undefined) throw new Error('no devices were made')
  const send = async (sequence: number) => {
    for (const each of group.devices) {
      const reply = await fetch(`${platform.url}${group.http.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: nextBody(each, sequence, Date.now()),
      })
      if (!reply.ok) throw new Error(`an uplink was answered with ${reply.status}`)
    }
  }
  await send(usualSequence)
  await addFollowers(api, fleet, signal)
  await send(warmSequence)
  await waitForAlarm(api, signal)
  const { items: twins } = await api.digitaltwin.list({ search: device.devEui, limit: 1 })
  const { items: states } = await api.digitaltwin.states({ id: device.id })
  const { driverId } = await api.virtualdevice.get({ id: device.id })
  const twin = twins[0]
  if (twin === undefined || driverId === null) throw new Error('the sample is not complete')
  const stateIds = states.filter(({ key }) => /^(temperature|humidity)$/.test(key)).map(({ id }) => id)
  const dashboardId = await makeDashboard(api, fleet.accountId, stateIds)
  return { deviceId: device.id, driverId, twinId: twin.id, dashboardId }
}

async function waitForAlarm(api: Api, signal: AbortSignal): Promise<void> {
  const started = performance.now()
  while ((await api.alarmLogs.list({ limit: 1 })).items.length === 0) {
    if (performance.now() - started > alarmMaxMs) throw new Error('the rule raised no alarm')
    await delay(pollMs, undefined, { signal })
  }
}

async function makeDashboard(api: Api, accountId: number, stateIds: number[]): Promise<number> {
  const { id } = await api.dashboards.create({ name: 'Dashboard of a sensor', description: '', accountId })
  await api.dashboards.addWidget({
    id,
    definition: {
      type: 'value',
      title: 'Now',
      size: { columns: 12, minHeightPx: 150 },
      valueOptions: { stateIds },
    },
  })
  await api.dashboards.addWidget({
    id,
    definition: {
      type: 'chart',
      title: 'Before',
      size: { columns: 12, minHeightPx: 300 },
      chartOptions: { kind: 'line', stateIds },
    },
  })
  return id
}
