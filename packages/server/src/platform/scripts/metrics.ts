/** The metrics of the script engine. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { ScriptEngineStatus, ScriptKind, ScriptResult } from './types.ts'

export type ScriptMetricsRegistry = Registry

export interface ScriptMetrics {
  count(kind: ScriptKind, results: readonly ScriptResult[]): void
  restarted(): void
}

/** Registers the engine's metrics; without a registry nothing is counted. */
export function createScriptMetrics(
  registry: ScriptMetricsRegistry | undefined,
  status: () => ScriptEngineStatus,
): ScriptMetrics {
  if (registry === undefined) return { count: () => undefined, restarted: () => undefined }
  const registers = [registry]
  const calls = new Counter({
    name: 'leitstand_script_calls_total',
    help: 'Calls of scripts by kind and outcome (ok, or the code of the error)',
    labelNames: ['kind', 'outcome'],
    registers,
  })
  const seconds = new Counter({
    name: 'leitstand_script_seconds_total',
    help: 'Time spent in scripts by kind',
    labelNames: ['kind'],
    registers,
  })
  const restarts = new Counter({
    name: 'leitstand_script_process_restarts_total',
    help: 'Sandbox processes that died and were started again',
    registers,
  })
  new Gauge({
    name: 'leitstand_script_calls_waiting',
    help: 'Calls that wait for a sandbox process',
    registers,
    collect() {
      this.set(status().waitingCalls)
    },
  })
  return {
    count(kind, results) {
      const outcomes = new Map<string, number>()
      let microseconds = 0
      for (const result of results) {
        const outcome = result.ok ? 'ok' : result.error.code
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        microseconds += result.durationUs
      }
      for (const [outcome, times] of outcomes) calls.inc({ kind, outcome }, times)
      seconds.inc({ kind }, microseconds / 1e6)
    },
    restarted: () => restarts.inc(),
  }
}
