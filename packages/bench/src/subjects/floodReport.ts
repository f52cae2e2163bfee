import type { Flooded } from '../flood/messages.ts'
import type { Attacked } from '../hostile/attacks.ts'
import type { Phase } from '../load/drive.ts'
import type { Cost } from '../processes.ts'
import { Histogram } from '../report/histogram.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Report } from './report.ts'

/** Results of the quiet account in a phase, and of the flood; null: there was none. */
export interface Measured {
  name: string
  mqtt: Phase
  http: Phase
  both: Phase
  cost: Cost
  flooded: Flooded | null
  /** attempts of a hostile account by attack and answer; null: there was none */
  attacked: Attacked | null
}

interface Outcome {
  rate: number
  devices: number
  measured: readonly Measured[]
  stored: number
  lost: number
  duplicated: number
  rssBefore: number | null
  rssAfter: number | null
  /** the platform ran in a control group, as in a container */
  isGrouped: boolean
}

const mebibyte = 1_048_576

/** The reference: both phases without a flood, before and after, as the machine may have become busier. */
function usualOf(measured: readonly Measured[]): Histogram {
  const all = new Histogram()
  for (const each of measured) if (isAlone(each)) all.addAll(each.both.latency)
  return all
}

function isAlone({ flooded, attacked }: Measured): boolean {
  return flooded === null && attacked === null
}

/** The figures of a run. It fails if anything was lost or duplicated; latency is reported but not judged. */
export function floodReport(outcome: Outcome): Report {
  const { measured, rate, devices, stored, lost, duplicated, rssBefore, rssAfter, isGrouped } = outcome
  const usual = usualOf(measured).percentile(0.99)
  const ratioOf = ({ both }: Measured) => {
    const own = both.latency.percentile(0.99)
    return own === null || usual === null ? null : own / usual
  }
  const ratios = measured.flatMap((each) => (isAlone(each) ? [] : (ratioOf(each) ?? [])))
  const json = {
    subject: 'flood',
    rate,
    devices,
    isGrouped,
    usualP99Ms: rounded(usual),
    ratioMax: ratios.length === 0 ? null : rounded(Math.max(...ratios)),
    stored,
    lost,
    duplicated,
    serverRssBytesBefore: rssBefore,
    serverRssBytesAfter: rssAfter,
    phases: measured.map((each) => toJson(each, ratioOf(each))),
  }
  const head = ['quiet account beside', 'mqtt p50 ms', 'p99', 'http p50', 'p99', 'p99 : usual', 'not acked']
  const delays = measured.map((each) => [
    each.name,
    ...[each.mqtt, each.http].flatMap(({ latency }) =>
      [0.5, 0.99].map((share) => cell(latency.percentile(share))),
    ),
    cell(isAlone(each) ? null : ratioOf(each)),
    cell(each.both.sent + each.both.notSent - each.both.acknowledged),
  ])
  const floodHead = [
    'flood',
    'sent/s',
    'acked/s',
    'not acked',
    'its processor s',
    'server s',
    'database s',
    'server MiB',
  ]
  const flooded = measured.map(({ name, flooded: own, cost }) => [
    name,
    cell(own && Math.round(own.sent / own.seconds)),
    cell(own && Math.round(own.acknowledgedPerSecond)),
    cell(own && own.sent - own.acknowledged),
    cell(own === null ? null : own.cpuSeconds),
    ...[cost.serverCpuSeconds, cost.databaseCpuSeconds].map(cell),
    cell(cost.serverRssBytesMax === null ? null : Math.round(cost.serverRssBytesMax / mebibyte)),
  ])
  const whole = [
    ['whole run', ''],
    ['in a control group of its own', isGrouped ? 'yes' : 'no'],
    ['uplinks stored', cell(stored)],
    ['lost (acknowledged, not stored)', cell(lost)],
    ['duplicated', cell(duplicated)],
    ['largest p99 : usual', cell(json.ratioMax)],
    ...[['server MiB before', rssBefore] as const, ['server MiB after', rssAfter] as const].map(
      ([name, bytes]) => [name, cell(bytes === null ? null : Math.round(bytes / mebibyte))],
    ),
  ]
  const attempts = measured.flatMap(({ attacked }) =>
    Object.entries(attacked ?? {}).map(([name, answers]) => [
      name,
      cell(Object.values(answers).reduce((sum, times) => sum + times, 0)),
      Object.entries(answers)
        .map(([answer, times]) => `${answer} ${times}`)
        .join(', '),
    ]),
  )
  const lines = [
    ...table([head, ...delays]),
    '',
    ...table([floodHead, ...flooded]),
    '',
    ...table([['hostile account', 'attempts', 'answers'], ...attempts]),
    '',
    ...table(whole),
  ]
  return { json, lines, isClean: lost === 0 && duplicated === 0 }
}

function toJson({ name, mqtt, http, both, cost, flooded, attacked }: Measured, ratio: number | null) {
  const delays = ({ latency, sent, acknowledged, notSent }: Phase) => ({
    ackP50Ms: rounded(latency.percentile(0.5)),
    ackP99Ms: rounded(latency.percentile(0.99)),
    ackMaxMs: rounded(latency.max),
    sent,
    acknowledged,
    notSent,
  })
  return {
    name,
    ratioToUsual: rounded(ratio),
    mqtt: delays(mqtt),
    http: delays(http),
    both: delays(both),
    flood: flooded && {
      sentPerSecond: rounded(flooded.sent / flooded.seconds),
      acknowledgedPerSecond: rounded(flooded.acknowledgedPerSecond),
      notAcknowledged: flooded.sent - flooded.acknowledged,
      cpuSeconds: rounded(flooded.cpuSeconds),
    },
    attacked,
    serverCpuSeconds: rounded(cost.serverCpuSeconds),
    databaseCpuSeconds: rounded(cost.databaseCpuSeconds),
    serverRssBytesMax: cost.serverRssBytesMax,
  }
}
