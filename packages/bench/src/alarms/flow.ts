import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Options } from '../arguments.ts'
import type { Api } from '../client.ts'
import { openDatabase } from '../database.ts'
import { createAccount } from '../fleet.ts'
import type { Platform } from '../platform.ts'
import { CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Part } from '../rules/part.ts'
import type { Say } from '../subjects/report.ts'
import { appendChanges, fillDevices, handled, readLog } from './causes.ts'

const changesPerSecond = 10_000
const entries = { devices: 10_000, perDevice: 2 } as const
/** Every entry begins and ends the same number of times: all alarms are resolved at the end. */
const round = 2 * entries.devices * entries.perDevice
const tickMs = 100
const goal = { lost: 0, mails: 12 } as const

interface Tools {
  options: Options
  platform: Platform
  database: pg.Client
  api: Api
  say: Say
}

/**
 * Changes of health, 10 000 a second, with a user who wants a mail of each: whether all are in the alarm log. Half of
 * the devices are in an account where an alarm that returns is the same one, half where it is a new one each time.
 */
export async function flow(
  { options, platform, database, api, say }: Tools,
  signal: AbortSignal,
): Promise<Part> {
  if (platform.database === null) throw new Error('the database of the platform is not known')
  const rate = options.rate ?? changesPerSecond
  const total = Math.max(1, Math.round((rate * options.seconds) / round)) * round
  say(`storing ${entries.devices} devices`)
  const [same, fresh] = [await createAccount(api), await createAccount(api)]
  await fillDevices(database, [same, fresh], entries)
  await api.alarmLogs.setTimes({
    accountId: fresh.id,
    times: { openAfterS: 0, resolveAfterS: 0, reopenWithinS: 0 },
  })
  const { id: notificationId } = await api.alarmNotifications.create({
    title: 'Everything',
    channel: 'mail',
    resolved: true,
  })
  say(`${total} changes of health, ${rate} a second`)
  await using watching = await openDatabase(platform.database)
  using meter = new CostMeter(platform.pids)
  const sentSeconds = await send(database, { rate, total }, signal)
  const logMs = await handled(watching, 'alarms', 'health.changed', signal)
  const rulesMs = logMs + (await handled(watching, 'rules', 'health.changed', signal))
  const toldMs = rulesMs + (await handled(watching, 'notifications', 'alarm.changed', signal))
  const cost = meter.stop()
  const cpuSeconds = (cost.serverCpuSeconds ?? 0) + (cost.databaseCpuSeconds ?? 0)
  const [ofSame, ofFresh] = [await readLog(database, [same.id]), await readLog(database, [fresh.id])]
  const opened = ofSame.opened + ofFresh.opened
  const resolved = opened - ofSame.open - ofFresh.open
  const lost = total - opened - resolved
  const { mails, held } = await readMails(database, notificationId)
  const isClean =
    lost === goal.lost &&
    ofFresh.alarms === ofFresh.opened &&
    mails <= goal.mails &&
    ofSame.open + ofFresh.open === 0
  return {
    json: {
      part: 'flow',
      sent: total,
      sentPerSecond: rounded(total / sentSeconds),
      opened,
      resolved,
      lost,
      alarms: ofSame.alarms + ofFresh.alarms,
      logAfterMs: rounded(logMs),
      toldAfterMs: rounded(toldMs),
      mails,
      held,
      microsecondsPerChange: rounded((cpuSeconds / total) * 1e6),
      serverCpuSeconds: rounded(cost.serverCpuSeconds),
      databaseCpuSeconds: rounded(cost.databaseCpuSeconds),
    },
    lines: [
      ...table([
        [
          'changes of health',
          'a second',
          'opened',
          'resolved',
          'lost',
          'alarms',
          'log after s',
          'all told after s',
        ],
        [
          cell(total),
          cell(total / sentSeconds),
          cell(opened),
          cell(resolved),
          cell(lost),
          cell(ofSame.alarms + ofFresh.alarms),
          cell(logMs / 1000),
          cell(toldMs / 1000),
        ],
      ]),
      `${cell(mails)} mails, ${cell(held)} notices only counted or waiting; ${cell((cpuSeconds / total) * 1e6)} µs of processor time a change`,
      `(server ${cell(cost.serverCpuSeconds)} s, database ${cell(cost.databaseCpuSeconds)} s; goal: none lost, at most ${goal.mails} mails)`,
    ],
    isClean,
  }
}

/** @returns how many seconds it took */
async function send(
  database: pg.Client,
  { rate, total }: { rate: number; total: number },
  signal: AbortSignal,
): Promise<number> {
  const started = performance.now()
  let sent = 0
  while (sent < total) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * rate))
    if (due > sent) await appendChanges(database, entries, { from: sent, to: due })
    sent = Math.max(sent, due)
    const nextMs =
      started + (Math.floor((performance.now() - started) / tickMs) + 1) * tickMs - performance.now()
    if (sent < total) await delay(nextMs, undefined, { signal })
  }
  return (performance.now() - started) / 1000
}

async function readMails(
  database: pg.Client,
  notificationId: number,
): Promise<{ mails: number; held: number }> {
  const { rows } = await database.query<{ mails: number; held: number }>(
    `select (select count(*)::int from mails where origin->>'notificationId' = $1::text) as mails,
      (select held from alarm_notifications where id = $1::int)
        + (select count(*)::int from alarm_notices where notification_id = $1::int) as held`,
    [notificationId],
  )
  return rows[0] as { mails: number; held: number }
}
