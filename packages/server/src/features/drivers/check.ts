import { AppError } from '../../platform/errors.ts'
import type { ScriptEngine, ScriptKind } from '../../platform/scripts/types.ts'
import { scriptProblem } from './run.ts'

/**
 * Compiles a script before it is stored.
 * @throws AppError SCRIPT_SYNTAX, SCRIPT_NO_FUNCTION … with `line` and `column` where they are known
 */
export async function requireScript(scripts: ScriptEngine, kind: ScriptKind, source: string): Promise<void> {
  const check = await scripts.check({ kind, source })
  if (check.ok) return
  const { code, message, ...place } = scriptProblem(check.error)
  throw new AppError(code, place, message)
}
