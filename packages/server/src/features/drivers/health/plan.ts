import type { JsonValue } from '@leitstand/contract/common'
import type { HealthCategory, HealthCondition, HealthConfig, HealthType } from '@leitstand/contract/health'
import type { ScriptSource } from '../../../platform/scripts/types.ts'

/** Entries every device has, whatever its configuration: what it sends cannot be decoded, or judged. */
export const faultEntries = { decode: '$decode', expression: '$expression' } as const

/** An entry as the log and the events tell it. */
export interface HealthEntryInfo {
  category: HealthCategory | null
  type: HealthType | 'invalid'
  description: string
}

/** What measurements say about entries: those that hold, and those that do not. Of all others they say nothing. */
export interface Verdict {
  on: readonly string[]
  off: readonly string[]
}

export interface Aging {
  identifier: string
  durationMs: number
}

/** A health configuration made ready for thousands of packets a second. */
export interface HealthPlan {
  /** which configuration it is: `d<driver>.<version>` or `o<revision>` */
  key: string
  entries: ReadonlyMap<string, HealthEntryInfo>
  conditions: readonly { identifier: string; variable: string; holds: (value: JsonValue) => boolean | null }[]
  /** hold when the last packet is older */
  silences: readonly Aging[]
  /** hold when the last value of the variable is older */
  agings: readonly (Aging & { variable: string })[]
  /** expressions of expert mode, one script each */
  expressions: readonly { identifier: string; script: ScriptSource }[]
  /** variables whose last values the expressions see */
  stateKeys: ReadonlySet<string>
}

/**
 * Makes a configuration ready. In whose sandboxes its expressions run is decided where they run: one plan may judge
 * devices of several accounts.
 * @returns null when there is nothing to look at
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

/** An expression as a script; a line comment at its end does not swallow the bracket. */
export function expressionScript(expression: string, stateKeys: readonly string[]) {
  return { kind: 'condition', source: `return (${expression}\n)`, parameters: stateKeys } as const
}

/**
 * A condition as a function of a value: whether it holds, or null when the two cannot be compared and so nothing is
 * said. True and false count as 1 and 0 beside a number; a text is never turned into a number.
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

/** What variables measured together say by themselves, without expressions. */
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
