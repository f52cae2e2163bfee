import type { JsonValue } from '@leitstand/contract/common'
import { type ErrorCode, errorCatalogue } from '@leitstand/contract/errors'
import { AppError } from '../../../platform/errors.ts'
import type { ScriptEngine, ScriptInput, ScriptSource } from '../../../platform/scripts/types.ts'
import { packetsOf } from './standard.ts'
import { type ForeignMessage, refusal, type Translation } from './types.ts'

/**
 * The owner of a template: scripts of one account may share a sandbox, those of different accounts never do.
 */
export interface TemplateSource {
  readonly connectorId: number | null
  readonly accountId: number
  readonly template: string
}

/**
 * Errors of the engine, not of the script: the message is retried later instead of becoming a dead letter.
 */
const engineFailures: readonly string[] = ['SCRIPT_ENGINE_BUSY', 'SCRIPT_ENGINE_FAILED']

/**
 * Runs a connector's own template: `module.exports = function (payload, meta)` returns a standard packet, an
 * array of them, or nothing to drop the message. `payload` is the parsed JSON, or the text if it is not JSON;
 * `meta` has `topic` (MQTT) or `query` (HTTP).
 * @throws AppError OVERLOADED when the sandbox cannot accept the call now
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

/** Maps an engine code to the error catalogue; more specific engine codes count as script errors. */
function catalogued(code: string): ErrorCode {
  return code in errorCatalogue ? (code as ErrorCode) : 'SCRIPT_ERROR'
}
