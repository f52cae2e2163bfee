import type { Api } from '../client.ts'
import { Histogram } from '../report/histogram.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Say } from './report.ts'

/** Calls of each kind before those that are measured. */
const warmUpCalls = 5
const measuredCalls = 60
/** Maximum time per kind of call; a slow machine makes fewer of them. */
const kindMaxMs = 30_000
const callsMin = 5

/** An API call; `round` counts up, so that it does not always request the same rows. */
export interface Call {
  name: string
  /** measures an empty result */
  findsNothing?: boolean
  run(api: Api, round: number): Promise<{ rows: number }>
}

export interface Timing {
  name: string
  calls: number
  rows: number
  latency: Histogram
}

/** Makes calls of each kind one after the other, like one user. */
export async function timeCalls(
  api: Api,
  calls: readonly Call[],
  say: Say,
  signal: AbortSignal,
): Promise<Timing[]> {
  const timings: Timing[] = []
  for (const { name, run, findsNothing = false } of calls) {
    say(name)
    const latency = new Histogram()
    let rows = 0
    const started = performance.now()
    for (let round = 0; round < warmUpCalls + measuredCalls; round++) {
      signal.throwIfAborted()
      const isLate = performance.now() - started > kindMaxMs
      if (isLate && latency.count >= callsMin) break
      const from = performance.now()
      rows = (await run(api, round)).rows
      if ((rows === 0) !== findsNothing) throw new Error(`${name}: the platform answered ${rows} rows`)
      if (round >= warmUpCalls) latency.add(performance.now() - from)
    }
    timings.push({ name, calls: latency.count, rows, latency })
  }
  return timings
}

export function timingsToJson(timings: readonly Timing[]) {
  return timings.map(({ name, calls, rows, latency }) => ({
    name,
    calls,
    rows,
    p50Ms: rounded(latency.percentile(0.5)),
    p95Ms: rounded(latency.percentile(0.95)),
  }))
}

export function timingsTable(timings: readonly Timing[]): string[] {
  return table([
    ['call', 'calls', 'rows', 'p50 ms', 'p95 ms'],
    ...timings.map(({ name, calls, rows, latency }) => [
      name,
      ...[calls, rows, latency.percentile(0.5), latency.percentile(0.95)].map(cell),
    ]),
  ])
}
