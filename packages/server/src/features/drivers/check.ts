import { hasScript, targetsOf } from '@leitstand/contract/parsers'
import { AppError } from '../../platform/errors.ts'
import type { ScriptEngine, ScriptKind } from '../../platform/scripts/types.ts'
import { scriptProblem } from './decoded.ts'
import { readFormulas } from './parsers/expressions.ts'
import { kindOf } from './parsers/index.ts'
import type { InspectionTools } from './parsers/types.ts'
import type { VersionContent } from './store.ts'

/**
 * Compiles a script before it is stored, at the expense of an account.
 * @throws AppError SCRIPT_SYNTAX, SCRIPT_NO_FUNCTION … with `line` and `column` if known
 */
export async function requireScript(
  scripts: ScriptEngine,
  script: { kind: ScriptKind; source: string; account: number },
): Promise<void> {
  const check = await scripts.check(script)
  if (check.ok) return
  const { code, message, ...place } = scriptProblem(check.error)
  throw new AppError(code, place, message)
}

/**
 * Validates a parser beyond the contract's schema before it is stored.
 * @throws AppError VALIDATION_ERROR with `field`, CALCULATED_INVALID, CALCULATED_CYCLE, SCRIPT_SYNTAX …
 */
export async function checkParser(
  tools: InspectionTools,
  accountId: number,
  { parser, script, calculated }: Pick<VersionContent, 'parser' | 'script' | 'calculated'>,
): Promise<void> {
  if (!hasScript(parser.kind) && script !== '')
    throw new AppError(
      'VALIDATION_ERROR',
      { field: 'script' },
      `A parser of kind ${parser.kind} has no script`,
    )
  const targets = new Set(targetsOf(parser))
  for (const [index, { key }] of calculated.entries()) {
    if (!targets.has(key)) continue
    const field = `calculated.${index}.key`
    throw new AppError('VALIDATION_ERROR', { field, key }, `The parser yields a variable ${key} already`)
  }
  readFormulas(calculated)
  const kind = kindOf(parser)
  // A parser that cannot run here can still be stored and edited.
  if (kind.inspect === undefined || (await kind.isMissing?.(tools))) return
  const { problem } = await kind.inspect(tools, script, accountId)
  if (problem === null) return
  const { code, message, ...place } = problem
  throw new AppError(code, place, message)
}
