import type { ParseResult } from '@leitstand/contract/drivers'
import type { HealthConfig } from '@leitstand/contract/health'
import type { ScriptEngine } from '../../../platform/scripts/types.ts'
import type { Decoded } from '../run.ts'
import { requireExpressions } from './check.ts'
import { judgeExpressions } from './expressions.ts'
import { faultEntries, judge, planOf } from './plan.ts'

/** What a tried packet says of the health. */
export type TriedHealth = Pick<ParseResult, 'health' | 'healthFailed'>

export const noTriedHealth: TriedHealth = { health: [], healthFailed: false }

/**
 * What packets say of the entries of a configuration, each by itself: expressions see its variables only, and how old
 * something is plays no part. A packet that could not be decoded says nothing.
 * @param dataAccountId of whoever tries it
 * @throws AppError SCRIPT_SYNTAX … of an expression, OVERLOADED when the sandbox cannot take them now
 */
export async function judgeTried(
  scripts: Pick<ScriptEngine, 'run' | 'check'>,
  config: HealthConfig | undefined,
  dataAccountId: number,
  decoded: readonly Decoded[],
): Promise<TriedHealth[]> {
  const plan = config === undefined ? null : planOf(config, 'tried')
  if (config === undefined || plan === null) return decoded.map(() => noTriedHealth)
  await requireExpressions(scripts, config, dataAccountId)
  const said = decoded.map(({ error, variables }) => error === null || Object.keys(variables).length > 0)
  const asked = decoded.flatMap(({ variables }, index) =>
    said[index] && plan.expressions.length > 0
      ? [
          {
            plan,
            dataAccountId,
            variables: Object.fromEntries(
              Object.entries(variables).filter(([key]) => plan.stateKeys.has(key)),
            ),
          },
        ]
      : [],
  )
  const verdicts = (await judgeExpressions(scripts, asked, { isTrial: true })).values()
  return decoded.map(({ variables }, index) => {
    if (!said[index]) return noTriedHealth
    const simple = judge(plan, variables)
    const expert = plan.expressions.length > 0 ? verdicts.next().value : undefined
    const on = new Set([...simple.on, ...(expert?.on ?? [])])
    const off = new Set([...simple.off, ...(expert?.off ?? [])])
    return {
      health: config.entries.flatMap(({ identifier, category, type, description }) =>
        on.has(identifier) || off.has(identifier)
          ? [{ identifier, category, type, description, active: on.has(identifier) }]
          : [],
      ),
      healthFailed: on.has(faultEntries.expression),
    }
  })
}
