import { cell, rounded, table } from '../report/table.ts'
import type { Report } from '../subjects/report.ts'
import type { ClusterOptions, Measured, Outcome } from './index.ts'

const us = 1e6

/** The figures of a run; the cost of growing compares the most nodes with one without NATS. */
export function clusterReport(options: ClusterOptions, outcome: Outcome): Report {
  const { measured, takeover, stored } = outcome
  const alone = measured.filter(({ nodes }) => nodes === 0)
  const most = measured.find(({ nodes }) => nodes === options.nodes)
  const growth = (of: (one: Measured) => number | null) => {
    const now = most === undefined ? null : of(most)
    const before = mean(alone.map(of))
    return now === null || before === null ? null : now / before
  }
  const lost = stored.lost + (takeover?.stored.lost ?? 0)
  const duplicated = stored.duplicated + (takeover?.stored.duplicated ?? 0)
  const json = {
    subject: 'cluster',
    nodes: options.nodes,
    costOfGrowing: rounded(growth(whole)),
    costOfGrowingPlatform: rounded(growth((one) => perUplink(one, 'platform'))),
    takeoverMs: takeover && {
      partitions: rounded(takeover.partitionsMs),
      gap: rounded(takeover.gapMs),
      devices: rounded(takeover.devicesMs),
    },
    sent: outcome.sent + (takeover?.sent ?? 0),
    acknowledged: outcome.acknowledged + (takeover?.acknowledged ?? 0),
    stored: stored.stored + (takeover?.stored.stored ?? 0),
    lost,
    duplicated,
    phases: measured.map(toJson),
    seconds: rounded(outcome.seconds),
  }
  const lines = [
    ...rates(measured),
    '',
    ...costs(measured),
    '',
    ...table([
      ['whole run', ''],
      ['cost of growing', cell(json.costOfGrowing)],
      ['cost of growing, platform alone', cell(json.costOfGrowingPlatform)],
      ['a node killed: its partitions taken over after ms', cell(json.takeoverMs?.partitions ?? null)],
      ['everything acknowledged before is stored after ms', cell(json.takeoverMs?.gap ?? null)],
      ['every device is stored again after ms', cell(json.takeoverMs?.devices ?? null)],
      ['uplinks acknowledged', cell(json.acknowledged)],
      ['stored', cell(json.stored)],
      ['lost (acknowledged, not stored)', cell(lost)],
      ['duplicated', cell(duplicated)],
    ]),
  ]
  return { json, lines, isClean: lost === 0 && duplicated === 0 }
}

/** For the progress. */
export function oneLine(one: Measured): string {
  const each = parties.map((party) => `${party} ${cell(perUplink(one, party))}`).join(', ')
  return `${Math.round(one.phase.uplinksPerSecond)}/s, ${cell(one.waiting)} waiting, none after ${cell(one.storedMs)} ms, rules after ${cell(one.behindMs)} ms; µs: ${each}`
}

const parties = ['platform', 'database', 'nats', 'balancer', 'generator'] as const

/** Processor time per acknowledged uplink, in microseconds. */
function perUplink({ costs, phase }: Measured, party: (typeof parties)[number]): number | null {
  const seconds = costs[party]
  return seconds === null ? null : (seconds * us) / phase.acknowledged
}

/** Platform, database and NATS together. */
function whole(one: Measured): number | null {
  const all = (['platform', 'database', 'nats'] as const).map((party) => perUplink(one, party))
  return all.reduce<number | null>((sum, own) => (sum === null || own === null ? null : sum + own), 0)
}

/** Stored per second, until the last one was. */
function storedPerSecond({ phase, storedMs }: Measured): number {
  return phase.acknowledged / (phase.seconds + storedMs / 1000)
}

function mean(figures: readonly (number | null)[]): number | null {
  const known = figures.flatMap((figure) => figure ?? [])
  return known.length === 0 ? null : known.reduce((sum, figure) => sum + figure, 0) / known.length
}

function toJson(one: Measured) {
  return {
    nodes: one.nodes,
    uplinksPerSecond: rounded(one.phase.uplinksPerSecond),
    storedPerSecond: rounded(storedPerSecond(one)),
    ackP50Ms: rounded(one.phase.latency.percentile(0.5)),
    ackP99Ms: rounded(one.phase.latency.percentile(0.99)),
    waiting: one.waiting,
    storedMs: rounded(one.storedMs),
    behindMs: rounded(one.behindMs),
    cpuUsPerUplink: rounded(whole(one)),
    ...Object.fromEntries(parties.map((party) => [`${party}CpuUsPerUplink`, rounded(perUplink(one, party))])),
  }
}

function nameOf({ nodes }: Measured): string {
  return nodes === 0 ? 'one, without NATS' : `${nodes} with NATS`
}

function rates(measured: readonly Measured[]): string[] {
  const head = [
    'nodes',
    'acknowledged/s',
    'stored/s',
    'ack p50 ms',
    'ack p99 ms',
    'waiting at the end',
    'none after ms',
    'rules after ms',
  ]
  const rows = measured.map((one) => [
    nameOf(one),
    cell(Math.round(one.phase.uplinksPerSecond)),
    cell(Math.round(storedPerSecond(one))),
    cell(one.phase.latency.percentile(0.5)),
    cell(one.phase.latency.percentile(0.99)),
    cell(one.waiting),
    cell(one.storedMs),
    cell(one.behindMs),
  ])
  return table([head, ...rows])
}

function costs(measured: readonly Measured[]): string[] {
  const head = [
    'processor time per uplink, µs',
    'nodes',
    'database',
    'NATS',
    'haproxy',
    'generator',
    'first three',
  ]
  const rows = measured.map((one) => [
    nameOf(one),
    ...parties.map((party) => cell(rounded(perUplink(one, party)))),
    cell(rounded(whole(one))),
  ])
  return table([head, ...rows])
}
