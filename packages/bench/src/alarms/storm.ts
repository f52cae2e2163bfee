import type pg from 'pg'
import type { Api } from '../client.ts'
import { createAccount } from '../fleet.ts'
import type { Platform } from '../platform.ts'
import { CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Part } from '../rules/part.ts'
import type { Say } from '../subjects/report.ts'
import { appendChanges, fillDevices, handled, readLog } from './causes.ts'

const entries = { devices: 100_000, perDevice: 1 } as const

/** The health of 100 000 devices becomes bad at one moment, and good again. */
export async function storm(
  { platform, database, api, say }: { platform: Platform; database: pg.Client; api: Api; say: Say },
  signal: AbortSignal,
): Promise<Part> {
  say(`storing ${entries.devices} devices`)
  const account = await createAccount(api)
  await fillDevices(database, [account], entries)
  const measure = async (range: { from: number; to: number }) => {
    using meter = new CostMeter(platform.pids)
    await appendChanges(database, entries, range)
    const ms = await handled(database, 'alarms', 'health.changed', signal)
    await handled(database, 'rules', 'alarm.changed', signal)
    const { serverCpuSeconds, databaseCpuSeconds } = meter.stop()
    return { ms, cpuSeconds: (serverCpuSeconds ?? 0) + (databaseCpuSeconds ?? 0) }
  }
  say(`${entries.devices} alarms open at once`)
  const opening = await measure({ from: 0, to: entries.devices })
  const { open } = await readLog(database, [account.id])
  say('and are resolved at once')
  const ending = await measure({ from: entries.devices, to: 2 * entries.devices })
  const after = await readLog(database, [account.id])
  return {
    json: {
      part: 'storm',
      devices: entries.devices,
      open,
      openMs: rounded(opening.ms),
      openCpuSeconds: rounded(opening.cpuSeconds),
      resolved: after.alarms - after.open,
      resolveMs: rounded(ending.ms),
      resolveCpuSeconds: rounded(ending.cpuSeconds),
    },
    lines: table([
      ['alarms at once', 'in the log', 'after s', 'processor s'],
      ['opened', cell(open), cell(opening.ms / 1000), cell(opening.cpuSeconds)],
      ['resolved', cell(after.alarms - after.open), cell(ending.ms / 1000), cell(ending.cpuSeconds)],
    ]),
    isClean: open === entries.devices && after.open === 0 && after.alarms === entries.devices,
  }
}
