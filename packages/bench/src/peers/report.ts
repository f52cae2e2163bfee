import { valueKeys } from '../load/uplinks.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Report } from '../subjects/report.ts'
import type { Side } from './index.ts'
import { nodeRedVersion } from './nodeRed.ts'

const us = 1e6

/** What each side did with an uplink: without it the figures say nothing. */
const did = [
  'Leitstand: its own broker; acknowledges when everything is committed: the packet as it came, four values, current values and',
  '  the events for rules, roll-ups and the live connection; recognises duplicates; the driver runs in a sandbox of its own.',
  `Node-RED ${nodeRedVersion}: mosquitto; acknowledges to it when a message arrives; the same driver in a function node; one insert`,
  '  per uplink with the packet and four values over a pool of ten connections. No duplicates recognised, no rights, no sandbox,',
  '  no current values, roll-ups, rules or live connection. "Session kept": the broker keeps messages while it is away.',
]

/** A table of the sides, with what they did. */
export function peersReport(sides: readonly Side[]): Report {
  const rows = sides.map(({ name, throughput, kill }) => {
    const { stored, seconds, cpu } = throughput
    const perUplink = (of: number | null) => (of === null || stored === 0 ? null : (of * us) / stored)
    return {
      name,
      acknowledged: throughput.acknowledged,
      stored,
      seconds: rounded(seconds),
      uplinksPerSecond: rounded(stored / seconds),
      pointsPerSecond: rounded((stored * valueKeys.length) / seconds),
      platformUs: rounded(perUplink(cpu.platform)),
      brokerUs: rounded(perUplink(cpu.broker)),
      databaseUs: rounded(perUplink(cpu.database)),
      togetherUs: rounded(perUplink(cpu.platform + (cpu.broker ?? 0) + cpu.database)),
      killedAcknowledged: kill.acknowledged,
      killedLost: kill.lost,
      killedDuplicated: kill.duplicated,
    }
  })
  const line = (name: string, of: (row: (typeof rows)[number]) => number | null) => [
    name,
    ...rows.map((row) => cell(of(row))),
  ]
  const lines = [
    ...table([
      ['', ...rows.map(({ name }) => name)],
      line('acknowledged', (row) => row.acknowledged),
      line('stored', (row) => row.stored),
      line('until the last was stored, s', (row) => row.seconds),
      line('uplinks stored per second', (row) => row.uplinksPerSecond),
      line('points stored per second', (row) => row.pointsPerSecond),
      line('processor time per uplink, µs', (row) => row.togetherUs),
      line('  of it platform', (row) => row.platformUs),
      line('  broker', (row) => row.brokerUs),
      line('  database', (row) => row.databaseUs),
      line('killed: acknowledged', (row) => row.killedAcknowledged),
      line('killed: lost', (row) => row.killedLost),
      line('killed: stored twice', (row) => row.killedDuplicated),
    ]),
    '',
    ...did,
  ]
  const [own] = rows
  return {
    json: { subject: 'peers', sides: rows },
    lines,
    isClean: own?.killedLost === 0 && own.killedDuplicated === 0 && own.stored === own.acknowledged,
  }
}
