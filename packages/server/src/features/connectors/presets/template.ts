import type { JsonValue } from '@leitstand/contract/common'
import { type ErrorCode, errorCatalogue } from '@leitstand/contract/errors'
import { AppError } from '../../../platform/errors.ts'
import type { ScriptEngine, ScriptInput, ScriptSource } from '../../../platform/scripts/types.ts'
import { packetsOf } from './standard.ts'
import { type ForeignMessage, refusal, type Translation } from './types.ts'

/** Whose template it is: scripts of one account may share a sandbox, those of two never do. */
export interface TemplateSource {
  readonly connectorId: number | null
  readonly accountId: number
  readonly template: string
}

/** Failures of the engine, not of the script: the message comes again later instead of being given up. */
const engineFailures: readonly string[] = ['SCRIPT_ENGINE_BUSY', 'SCRIPT_ENGINE_FAILED']

/**
 * Runs a connector's own template: `module.exports = function (payload, meta)` answers one standard packet, an array,
 * or nothing to drop the message. `payload` is the parsed JSON, or the text where it is not JSON; `meta` has `topic`
 * (MQTT) or `query` (HTTP).
 * @throws AppError OVERLOADED when the sandbox cannot take the call now
 */
export async function runTemplate(
  scripts: Pick<ScriptEngine, 'run'>,
  source: TemplateSource,
  message: ForeignMessage,
): Promise<Translation> {
  const meta = { ...(message.topic === undefined ? {} : { topic: message.topic }), query: message.query }
  const input: ScriptInput =
    message.json === undefined ? { payload: message.text, meta } : { json: message.text, meta }
  const [result] = await scripts.run(templateScript(source), [input])
  if (!result) throw new Error('the script engine gave no answer')
  if (!result.ok) {
    const { code, message: reason, line } = result.error
    if (engineFailures.includes(code)) throw new AppError('OVERLOADED')
    return refusal(message, line === undefined ? reason : `${reason} (line ${line})`, catalogued(code))
  }
  const value = result.value as JsonValue | undefined
  if (value === undefined || value === null) return { packets: [], refused: [] }
  return packetsOf(Array.isArray(value) ? value : [value], message)
}

export function templateScript({ connectorId, accountId, template }: TemplateSource): ScriptSource {
  return {
    id: connectorId === null ? 'template' : `connector ${connectorId}`,
    kind: 'template',
    group: `account:${accountId}`,
    source: template,
  }
}

/** The code as the catalogue knows it; the engine's finer ones count as errors of the script. */
function catalogued(code: string): ErrorCode {
  return code in errorCatalogue ? (code as ErrorCode) : 'SCRIPT_ERROR'
}
