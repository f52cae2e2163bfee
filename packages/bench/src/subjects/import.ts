import { setTimeout as delay } from 'node:timers/promises'
import type { Options } from '../arguments.ts'
import { type Api, createApi } from '../client.ts'
import { createAccount, createConnector, findDriver } from '../fleet.ts'
import { simulatedDevice } from '../load/uplinks.ts'
import { openPlatform } from '../platform.ts'
import { CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Report, Say } from './report.ts'

/** Before the one that is measured: statements are planned and tables have statistics. */
const warmUpDevices = 500
const pollMs = 50
const underWay: ReadonlySet<string> = new Set(['created', 'inprogress', 'postprocessing'])

/** Virtual devices of a delivered driver made by an import: how many a second, and what one costs. */
export async function importDevices(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  await using platform = await openPlatform(options, signal)
  const api = createApi(platform.url, platform.token)
  const { id: accountId } = await createAccount(api)
  const { version } = await api.tenant.get({ id: accountId })
  await api.tenant.setBulkLimit({ id: accountId, version, devices: Math.max(options.devices, warmUpDevices) })
  const { connectorId } = await createConnector(api, platform, accountId, 'mqtt')
  const into = { connectorId, driverId: await findDriver(api) }
  say(`warming up with ${warmUpDevices} devices`)
  await importAll(api, into, { from: 0, count: warmUpDevices }, signal)
  say(`importing ${options.devices} devices`)
  using meter = new CostMeter(platform.pids)
  const started = performance.now()
  await importAll(api, into, { from: warmUpDevices, count: options.devices }, signal)
  const seconds = (performance.now() - started) / 1000
  const cost = meter.stop()
  const perDevice = (cpuSeconds: number | null) =>
    cpuSeconds === null ? null : (cpuSeconds * 1000) / options.devices
  const json = {
    subject: 'import',
    devices: options.devices,
    devicesPerSecond: rounded(options.devices / seconds),
    serverMsPerDevice: rounded(perDevice(cost.serverCpuSeconds)),
    databaseMsPerDevice: rounded(perDevice(cost.databaseCpuSeconds)),
  }
  const lines = table([
    ['import', ''],
    ['devices', cell(json.devices)],
    ['a second, from the start of the job to its end', cell(json.devicesPerSecond)],
    ['processor ms per device, server', cell(json.serverMsPerDevice)],
    ['processor ms per device, database', cell(json.databaseMsPerDevice)],
  ])
  return { json, lines }
}

/** Uploads a file and imports it. @throws when the job does not make all of its devices */
async function importAll(
  api: Api,
  into: { connectorId: number; driverId: number },
  { from, count }: { from: number; count: number },
  signal: AbortSignal,
): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => {
    const { devEui } = simulatedDevice(from + index)
    return `${devEui};Sensor ${devEui}`
  })
  const file = new File([['DevEUI;Name', ...rows].join('\n')], 'devices.csv')
  const { id: uploadId } = await api.bulk.upload({ file })
  const { id } = await api.bulk.import({
    title: `Load ${from}`,
    uploadId,
    settings: {
      ...into,
      columns: [
        { column: 0, target: 'externalId' },
        { column: 1, target: 'title' },
      ],
      operationalStatus: 3,
    },
  })
  for (;;) {
    await delay(pollMs, undefined, { signal })
    const { state, result } = await api.job.get({ id })
    if (underWay.has(state)) continue
    if (state === 'done' && result.done === count) return
    throw new Error(`the import ended as ${state}: ${JSON.stringify(result)}`)
  }
}
