import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Api } from '../client.ts'
import { createAccount } from '../fleet.ts'
import type { Platform } from '../platform.ts'
import { CostMeter } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Part } from '../rules/part.ts'
import type { Say } from '../subjects/report.ts'
import { fillDevices } from './causes.ts'

const devices = 100_000
/** Each look counts up to 200 000 rows, which takes a core from the platform. */
const pollMs = 1_000
const patienceMs = 300_000
const lateGoalMs = 10_000

/**
 * 100 000 devices of a smart group have been silent for its whole window: until the clock has noticed and all have an
 * alarm, then until all send again and no alarm is open any more.
 */
export async function thresholds(
  { platform, database, api, say }: { platform: Platform; database: pg.Client; api: Api; say: Say },
  signal: AbortSignal,
): Promise<Part> {
  say(`storing ${devices} silent devices`)
  const account = await createAccount(api)
  await fillDevices(database, [account], { devices, perDevice: 1 })
  await makeSilent(database)
  const phase = async (isDone: (seen: Seen) => boolean) => {
    using meter = new CostMeter(platform.pids)
    const started = performance.now()
    let noticedMs: number | null = null
    let seen = await look(database, account.id)
    while (!isDone(seen) && performance.now() - started < patienceMs) {
      await delay(pollMs, undefined, { signal })
      seen = await look(database, account.id)
      if (noticedMs === null && isDone({ ...seen, open: seen.lows })) noticedMs = performance.now() - started
    }
    const ms = performance.now() - started
    const { serverCpuSeconds, databaseCpuSeconds } = meter.stop()
    const cpuSeconds = (serverCpuSeconds ?? 0) + (databaseCpuSeconds ?? 0)
    return { seen, noticedMs: noticedMs ?? ms, ms, cpuSeconds }
  }
  say('they are watched from now on')
  await api.smartGroup.create({
    title: 'All',
    accountId: account.id,
    monitoring: { expected: 'learned', windowHours: 24, threshold: 50, hysteresis: 10 },
  })
  const silent = await phase(({ open }) => open === devices)
  say('all of them send again')
  await database.query(
    'update device_live set packets = packets + 100 where twin_id = any(select twin_id from device_packets)',
  )
  const back = await phase(({ open }) => open === 0)
  const row = (name: string, { seen, noticedMs, ms, cpuSeconds }: typeof silent) => [
    name,
    cell(seen.open),
    cell(noticedMs / 1000),
    cell(ms / 1000),
    cell(cpuSeconds),
  ]
  return {
    json: {
      part: 'thresholds',
      devices,
      open: silent.seen.open,
      noticedMs: rounded(silent.noticedMs),
      alarmsMs: rounded(silent.ms),
      cpuSeconds: rounded(silent.cpuSeconds),
      backMs: rounded(back.ms),
      left: back.seen.open,
      goalMs: lateGoalMs,
    },
    lines: [
      ...table([
        ['devices', 'open alarms', 'noticed s', 'alarms s', 'processor s'],
        row('silent', silent),
        row('sending again', back),
      ]),
      `(goal: noticed at most ${lateGoalMs / 1000} s late)`,
    ],
    isClean: silent.seen.open === devices && back.seen.open === 0,
  }
}

interface Seen {
  /** devices known to be low */
  lows: number
  open: number
}

async function look(database: pg.Client, accountId: number): Promise<Seen> {
  const { rows } = await database.query<Seen>(
    `select (select count(*)::int from smart_group_lows) as lows, (select count(*)::int from alarms
      where account_id = $1 and source = 'packet-threshold' and resolved_at is null) as open`,
    [accountId],
  )
  return rows[0] as Seen
}

/** Devices that sent 24 packets a day for weeks, and nothing in the last 24 hours. */
async function makeSilent(database: pg.Client): Promise<void> {
  await database.query(`update packet_rounds set since = now() - interval '60 days'`)
  await database.query(
    `update twins set created_at = now() - interval '60 days' where category = 'virtualDevice'`,
  )
  await database.query(`
    insert into device_live (twin_id, packets, last_seen)
    select twin_id, 5000, now() - interval '1 day' from virtual_devices
    on conflict (twin_id) do update set packets = 5000, last_seen = excluded.last_seen`)
  await database.query(`
    insert into device_packets (twin_id, counted, taken, hour, hours, day, days, usual)
    select twin_id, 5000, h, h - 30, array_fill(1, array[192]), (h - 30) / 24, array_fill(24, array[64]), 24
    from virtual_devices, (select hour as h from packet_rounds) as r
    on conflict (twin_id) do nothing`)
  await database.query('vacuum analyze')
}
