import type { HealthConfig } from '@leitstand/contract/health'
import { AppError } from '../../../platform/errors.ts'
import type { ScriptEngine } from '../../../platform/scripts/types.ts'
import { expressionScript } from './plan.ts'

/**
 * Compiles the expressions of a configuration before it is stored, at the expense of an account.
 * @throws AppError SCRIPT_SYNTAX … with the place of the first expression that cannot be compiled in `issues`
 */
export async function requireExpressions(
  scripts: Pick<ScriptEngine, 'check'>,
  config: HealthConfig,
  account: number,
): Promise<void> {
  for (const [index, { expression, identifier }] of config.entries.entries()) {
    if (expression === '') continue
    const check = await scripts.check({ ...expressionScript(expression, config.stateKeys), account })
    if (check.ok) continue
    const { code, message } = check.error
    const path = `health.entries.${index}.expression`
    throw new AppError(code, { issues: [{ path, message }] }, `${identifier}: ${message}`)
  }
}
