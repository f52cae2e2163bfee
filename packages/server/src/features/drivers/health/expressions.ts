import type { JsonValue } from '@leitstand/contract/common'
import { AppError } from '../../../platform/errors.ts'
import type { ScriptEngine } from '../../../platform/scripts/types.ts'
import { groupOf } from '../parsers/group.ts'
import type { RunOptions } from '../parsers/types.ts'
import { faultEntries, type HealthPlan, type Verdict } from './plan.ts'

/** Input of expressions. */
export interface ExpressionInput {
  plan: HealthPlan
  /** account of the device: expressions cannot see values of other accounts */
  dataAccountId: number
  /** of the state keys */
  variables: Readonly<Record<string, JsonValue>>
}

/**
 * Runs the expressions of many devices, with one sandbox call per expression of a configuration. One verdict
 * per input, in order; an expression that fails does not affect its entry, but marks the device.
 * @throws AppError OVERLOADED when the sandbox is busy
 */
export async function judgeExpressions(
  scripts: Pick<ScriptEngine, 'run'>,
  inputs: readonly ExpressionInput[],
  how: Pick<RunOptions, 'isTrial'> = {},
): Promise<Verdict[]> {
  const verdicts = inputs.map(() => ({ on: new Set<string>(), off: new Set<string>() }))
  const runs = grouped(inputs).flatMap(({ plan, dataAccountId, indexes }) =>
    plan.expressions.map(async ({ identifier, script }) => {
      const results = await scripts.run(
        { ...script, group: groupOf({}, { dataAccountId, ...how }) },
        indexes.map((index) => ({ variables: (inputs[index] as ExpressionInput).variables })),
      )
      for (const [at, index] of indexes.entries()) {
        const result = results[at]
        const { on, off } = verdicts[index] as (typeof verdicts)[number]
        if (result?.ok) (result.value === true ? on : off).add(identifier)
        else if (result?.error.code === 'SCRIPT_ENGINE_BUSY')
          throw new AppError('OVERLOADED', { retryAfterSeconds: 1 })
        else on.add(faultEntries.expression)
      }
    }),
  )
  await Promise.all(runs)
  return verdicts.map(({ on, off }) => {
    if (!on.has(faultEntries.expression)) off.add(faultEntries.expression)
    return { on: [...on], off: [...off] }
  })
}

/** Indexes of the inputs by plan and account. */
function grouped(inputs: readonly ExpressionInput[]) {
  const byPlan = Map.groupBy(inputs.keys(), (index) => (inputs[index] as ExpressionInput).plan)
  return [...byPlan].flatMap(([plan, all]) =>
    [...Map.groupBy(all, (index) => (inputs[index] as ExpressionInput).dataAccountId)].map(
      ([dataAccountId, indexes]) => ({ plan, dataAccountId, indexes }),
    ),
  )
}

/** Maximum characters of a remembered text. */
const textMax = 200

/** The values expressions may see that are short enough to be remembered. */
export function remembered(
  plan: HealthPlan,
  variables: Readonly<Record<string, JsonValue>>,
): Record<string, JsonValue> {
  const kept: Record<string, JsonValue> = {}
  for (const key of plan.stateKeys) {
    if (!Object.hasOwn(variables, key)) continue
    const value = variables[key] as JsonValue
    const isShort = typeof value === 'string' ? value.length <= textMax : typeof value !== 'object'
    if (isShort) kept[key] = value
  }
  return kept
}
