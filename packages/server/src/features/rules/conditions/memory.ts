import { createHash } from 'node:crypto'
import type { Condition, Metric } from '@leitstand/contract/rules'
import { conditionKind } from './index.ts'

interface Known {
  metrics: readonly Metric[]
  key: string | null
}

/** Rules are evaluated often and change rarely. */
const known = new WeakMap<Condition, Known>()

/**
 * The key under which a condition remembers: made of its definition and metrics, not of its place in the tree. Equal
 * conditions share a memory, because they see the same values.
 * @returns null when it remembers nothing
 */
export function memoryKey(condition: Condition, metrics: readonly Metric[]): string | null {
  const found = known.get(condition)
  if (found?.metrics === metrics) return found.key
  const key = keyOf(condition, metrics)
  known.set(condition, { metrics, key })
  return key
}

function keyOf(condition: Condition, metrics: readonly Metric[]): string | null {
  const kind = conditionKind(condition)
  if (kind.remembers === undefined) return null
  const used = new Set(aliasesIn(condition))
  const about = [kind.remembers(condition), metrics.filter(({ alias }) => used.has(alias))]
  return `${condition.op}:${createHash('sha256').update(JSON.stringify(about)).digest('base64url').slice(0, 22)}`
}

function aliasesIn(condition: Condition): string[] {
  const kind = conditionKind(condition)
  return [
    ...kind.operands(condition).flatMap(({ part }) => ('metric' in part ? [part.metric] : [])),
    ...kind.conditions(condition).flatMap(({ part }) => aliasesIn(part)),
  ]
}
