import type { JsonValue } from '@leitstand/contract/common'
import type { HealthCategory, HealthCondition, HealthConfig, HealthType } from '@leitstand/contract/health'
import type { ScriptSource } from '../../../platform/scripts/types.ts'

/** Entries of all devices, regardless of configuration: packets cannot be decoded or evaluated. */
export const faultEntries = { decode: '$decode', expression: '$expression' } as const

/** An entry in the log and in events. */
export interface HealthEntryInfo {
  category: HealthCategory | null
  type: HealthType | 'invalid'
  description: string
}

/** Entries that are true and entries that are false after measurements; the others are undecided. */
export interface Verdict {
  on: readonly string[]
  off: readonly string[]
}

export interface Aging {
  identifier: string
  durationMs: number
}

/** A prepared health configuration, for thousands of packets per second. */
export interface HealthPlan {
  /** key of the configuration: `d<driver>.<version>` or `o<revision>` */
  key: string
  entries: ReadonlyMap<string, HealthEntryInfo>
  conditions: readonly { identifier: string; variable: string; holds: (value: JsonValue) => boolean | null }[]
  /** true if the last packet is older */
  silences: readonly Aging[]
  /** true if the last value of the variable is older */
  agings: readonly (Aging & { variable: string })[]
  /** expressions of expert mode, one script each */
  expressions: readonly { identifier: string; script: ScriptSource }[]
  /** variables whose last values the expressions see */
  stateKeys: ReadonlySet<string>
}

/**
 * Prepares a configuration. The caller selects the sandbox for the expressions, because devices of several
 * accounts may share a plan.
 * @returns null if there are no entries
 */
export function planOf(config: HealthConfig, key: string): HealthPlan | null {
  if (config.entries.length === 0) return null
  const aging = config.entries.flatMap(({ identifier, olderThanDuration: minutes, olderThanVariable }) =>
    minutes === null ? [] : [{ identifier, durationMs: minutes * 60_000, variable: olderThanVariable }],
  )
  return {
    key,
    entries: new Map(
      config.entries.map(({ identifier, category, type, description }) => [
        identifier,
        { category, type, description },
      ]),
    ),
    conditions: config.entries.flatMap(({ identifier, condition }) =>
      condition === null ? [] : [{ identifier, variable: condition.variable, holds: comparison(condition) }],
    ),
    silences: aging.flatMap(({ variable, ...each }) => (variable === null ? [each] : [])),
    agings: aging.flatMap(({ variable, ...each }) => (variable === null ? [] : [{ ...each, variable }])),
    expressions: config.entries.flatMap(({ identifier, expression }) =>
      expression === ''
        ? []
        : [
            {
              identifier,
              script: {
                id: `health:${key}:${identifier}`,
                ...expressionScript(expression, config.stateKeys),
              },
            },
          ],
    ),
    stateKeys: new Set(config.expertMode ? config.stateKeys : []),
  }
}

/** An expression as a script; the line break protects the bracket from a trailing line comment. */
export function expressionScript(expression: string, stateKeys: readonly string[]) {
  return { kind: 'condition', source: `return (${expression}\n)`, parameters: stateKeys } as const
}

/**
 * A condition as a function of a value: true, false, or null if the two cannot be compared. True and false
 * count as 1 and 0 when compared with a number; texts are never converted to numbers.
 */
export function comparison({
  operator,
  value: limit,
}: Pick<HealthCondition, 'operator' | 'value'>): (value: JsonValue) => boolean | null {
  if (typeof limit === 'string') {
    if (operator !== 'eq' && operator !== 'ne') return () => null
    const wanted = operator === 'eq'
    return (value) => (typeof value === 'string' ? (value === limit) === wanted : null)
  }
  const right = Number(limit)
  const compare = comparisons[operator]
  return (value) => {
    if (typeof value === 'number') return compare(value, right)
    return typeof value === 'boolean' ? compare(Number(value), right) : null
  }
}

const comparisons: Record<HealthCondition['operator'], (a: number, b: number) => boolean> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b,
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
}

/** The verdict for variables measured together, without expressions. */
export function judge(
  plan: Pick<HealthPlan, 'conditions'>,
  variables: Readonly<Record<string, JsonValue>>,
): Verdict {
  const on: string[] = []
  const off: string[] = []
  for (const { identifier, variable, holds } of plan.conditions) {
    if (!Object.hasOwn(variables, variable)) continue
    const answer = holds(variables[variable] as JsonValue)
    if (answer !== null) (answer ? on : off).push(identifier)
  }
  return { on, off }
}
