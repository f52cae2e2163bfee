import type { ParseResult } from '@leitstand/contract/drivers'
import type { HealthConfig } from '@leitstand/contract/health'
import type { ScriptEngine } from '../../../platform/scripts/types.ts'
import type { Decoded } from '../run.ts'
import { requireExpressions } from './check.ts'
import { judgeExpressions } from './expressions.ts'
import { faultEntries, judge, planOf } from './plan.ts'

/** Health result of a tried packet. */
export type TriedHealth = Pick<ParseResult, 'health' | 'healthFailed'>

export const noTriedHealth: TriedHealth = { health: [], healthFailed: false }

/**
 * Evaluates the entries of a configuration for each packet separately: expressions see only its variables,
 * and ages are ignored. Packets that cannot be decoded have no result.
 * @param dataAccountId the account of the caller
 * @throws AppError SCRIPT_SYNTAX … of an expression, OVERLOADED when the sandbox is busy
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
