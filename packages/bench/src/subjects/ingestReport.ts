import type { Protocol } from '../arguments.ts'
import type { Stored } from '../database.ts'
import type { Fleet } from '../fleet.ts'
import type { Ledger, Phase } from '../load/drive.ts'
import { valueKeys } from '../load/uplinks.ts'
import type { Cost } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Report } from './report.ts'

/** A phase of the run with its cost. */
export interface Measured {
  kind: 'closed' | 'open' | 'baseline'
  protocol: Protocol
  /** uplinks per second that were due; null: as fast as acknowledged */
  rate: number | null
  phase: Phase
  cost: Cost
  /** after the last acknowledgement, until rules have seen all values; the longest of several; null: not known */
  followUpMs: number | null
}

interface Outcome {
  fleet: Pick<Fleet, 'groups' | 'devicesPerSecond'>
  ledger: Ledger
  measured: readonly Measured[]
  stored: Stored | null
  bytesPerPoint: number | null
}

/**
 * The figures of a run. Those of the whole are the first protocol's: the rate of its closed loop, the delays of its
 * fastest open loop.
 */
export function ingestReport({ fleet, ledger, measured, stored, bytesPerPoint }: Outcome): Report {
  const [first] = measured
  const ofFirst = measured.filter(({ protocol }) => protocol === first?.protocol)
  const closed = ofFirst.find(({ kind }) => kind === 'closed')
  const open = ofFirst.findLast(({ kind }) => kind === 'open')
  const baseline = measured.find(({ kind }) => kind === 'baseline')
  if (closed === undefined || open === undefined) throw new Error('a run has a closed and an open loop')
  const ratio = baseline && closed.phase.uplinksPerSecond / baseline.phase.uplinksPerSecond
  const rss = measured.flatMap(({ kind, cost }) =>
    kind === 'baseline' ? [] : (cost.serverRssBytesMax ?? []),
  )
  const json = {
    subject: 'ingest',
    uplinksPerSecond: rounded(closed.phase.uplinksPerSecond),
    pointsPerSecond: rounded(closed.phase.uplinksPerSecond * valueKeys.length),
    ackP50Ms: rounded(open.phase.latency.percentile(0.5)),
    ackP99Ms: rounded(open.phase.latency.percentile(0.99)),
    sent: ledger.sent,
    acknowledged: ledger.acknowledged,
    stored: stored?.stored ?? null,
    lost: stored?.lost ?? null,
    duplicated: stored?.duplicated ?? null,
    serverCpuSeconds: rounded(closed.cost.serverCpuSeconds),
    serverRssBytesMax: rss.length === 0 ? null : Math.max(...rss),
    databaseBytesPerPoint: rounded(bytesPerPoint),
    baselineUplinksPerSecond: rounded(baseline?.phase.uplinksPerSecond ?? null),
    ratioToBaseline: rounded(ratio ?? null),
    uplinksPerCpuSecond: rounded(perCpuSecond(closed)),
    baselineUplinksPerCpuSecond: rounded(baseline ? perCpuSecond(baseline) : null),
    devices: fleet.groups.reduce((sum, group) => sum + group.devices.length, 0),
    devicesMadePerSecond: rounded(fleet.devicesPerSecond),
    phases: measured.map((each) => toJson(each, closedOf(measured, each))),
  }
  const whole = table([
    ['whole run', ''],
    ['uplinks sent', cell(json.sent)],
    ['acknowledged', cell(json.acknowledged)],
    ['stored', cell(json.stored)],
    ['lost (acknowledged, not stored)', cell(json.lost)],
    ['duplicated', cell(json.duplicated)],
    ['database bytes per point', cell(json.databaseBytesPerPoint)],
    ['ratio to baseline', cell(json.ratioToBaseline)],
    ['devices', cell(json.devices)],
    ['devices made per second', cell(json.devicesMadePerSecond)],
  ])
  return { json, lines: [...rates(measured), '', ...costs(measured), '', ...whole] }
}

/**
 * Uplinks per second of processor time, server and database together: comparable if the machine is shared.
 */
function perCpuSecond({ phase, cost }: Measured): number | null {
  const { serverCpuSeconds: server, databaseCpuSeconds: database } = cost
  return server === null || database === null || server + database === 0
    ? null
    : phase.acknowledged / (server + database)
}

/** The closed loop of the same protocol. */
function closedOf(measured: readonly Measured[], { protocol }: Measured): Measured | undefined {
  return measured.find((each) => each.kind === 'closed' && each.protocol === protocol)
}

/** Processor time per uplink as a multiple of the closed loop's; null for other kinds of phases. */
function costRatio(measured: Measured, closed: Measured | undefined): number | null {
  const [own, full] = [perCpuSecond(measured), closed ? perCpuSecond(closed) : null]
  return measured.kind !== 'open' || own === null || full === null ? null : full / own
}

function toJson(measured: Measured, closed: Measured | undefined) {
  const { kind, protocol, rate, phase, cost, followUpMs } = measured
  return {
    kind,
    protocol,
    rate,
    seconds: rounded(phase.seconds),
    uplinksPerSecond: rounded(phase.uplinksPerSecond),
    sent: phase.sent,
    acknowledged: phase.acknowledged,
    notSent: phase.notSent,
    ackP50Ms: rounded(phase.latency.percentile(0.5)),
    ackP99Ms: rounded(phase.latency.percentile(0.99)),
    ackMaxMs: rounded(phase.latency.max),
    followUpMs: rounded(followUpMs),
    serverCpuSeconds: rounded(cost.serverCpuSeconds),
    databaseCpuSeconds: rounded(cost.databaseCpuSeconds),
    generatorCpuSeconds: rounded(cost.generatorCpuSeconds),
    uplinksPerCpuSecond: rounded(perCpuSecond(measured)),
    costToClosedLoop: rounded(costRatio(measured, closed)),
    serverRssBytesMax: cost.serverRssBytesMax,
  }
}

function nameOf({ kind, protocol, rate }: Measured): string {
  if (kind === 'baseline') return 'baseline: broker and one insert'
  return kind === 'closed' ? `${protocol}, closed loop` : `${protocol}, open loop at ${cell(rate)}/s`
}

function rates(measured: readonly Measured[]): string[] {
  const head = [
    'phase',
    'uplinks/s',
    'points/s',
    'ack p50 ms',
    'ack p99 ms',
    'max ms',
    'rules after ms',
    'not acked',
    'not sent',
  ]
  const rows = measured.map((each) => {
    const { phase } = each
    return [
      nameOf(each),
      cell(Math.round(phase.uplinksPerSecond)),
      cell(Math.round(phase.uplinksPerSecond * valueKeys.length)),
      cell(phase.latency.percentile(0.5)),
      cell(phase.latency.percentile(0.99)),
      cell(phase.latency.max),
      cell(each.followUpMs),
      cell(phase.sent - phase.acknowledged),
      cell(phase.notSent),
    ]
  })
  return table([head, ...rows])
}

function costs(measured: readonly Measured[]): string[] {
  const head = [
    'processor seconds',
    'server',
    'database',
    'generator',
    'uplinks per second of both',
    'cost : closed loop',
    'server MiB',
  ]
  const rows = measured.map((each) => {
    const { cost } = each
    return [
      nameOf(each),
      cell(cost.serverCpuSeconds),
      cell(cost.databaseCpuSeconds),
      cell(cost.generatorCpuSeconds),
      cell(perCpuSecond(each)),
      cell(costRatio(each, closedOf(measured, each))),
      cell(cost.serverRssBytesMax === null ? null : Math.round(cost.serverRssBytesMax / 1_048_576)),
    ]
  })
  return table([head, ...rows])
}
