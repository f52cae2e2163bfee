import type { ConnectorKind } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'
import { AppError } from '../../platform/errors.ts'
import { apart } from '../../platform/scripts/index.ts'
import { type AnyKind, type Check, kinds } from './kinds/index.ts'
import { foreignMessage, translate } from './presets/index.ts'
import { templateScript } from './presets/template.ts'
import type { ConnectorTools } from './tools.ts'
import { readingOf, type StoredSettings } from './types.ts'

/** Input of a check: submitted settings, and the stored settings of the connector, if any. */
export interface Trial {
  readonly accountId: number
  readonly kind: ConnectorKind
  readonly connectorId: number | null
  readonly settings: Readonly<Record<string, JsonValue>>
  readonly stored: StoredSettings | null
  /** whether to test connections; an unreachable broker must not prevent disabling a connector */
  readonly connect: boolean
}

export interface Tried {
  readonly checks: Check[]
  /** checked settings with stored secrets filled in; absent when they do not match the schema of the kind */
  readonly settings?: StoredSettings
}

/** Checks settings: their schema, the template, and every connection of the kind. */
export async function tryOut(tools: ConnectorTools, trial: Trial): Promise<Tried> {
  const kind = kinds[trial.kind]
  const parsed = kind.schema.safeParse(trial.settings)
  if (!parsed.success) {
    const checks = parsed.error.issues.map(({ path, message }) => ({
      name: 'settings',
      ok: false,
      message: `${path.join('.')}: ${message}`,
    }))
    return { checks }
  }
  const { settings, missing } = withStoredSecrets(kind, parsed.data, trial.stored)
  const checks: Check[] = [{ name: 'settings', ok: true, message: '' }]
  for (const name of missing) {
    checks.push({
      name,
      ok: false,
      message: 'Enter it again: it is not sent to another address',
      reason: 'secretAgain',
    })
  }
  if (settings.preset === 'template')
    checks.push(await checkTemplate(tools, trial, String(settings.template)))
  if (checks.every(({ ok }) => ok)) {
    const { connectorId, stored, connect } = trial
    const trying = { connectorId, stored, connect }
    checks.push(...(await kind.check(settings, tools.ctx, trying)))
    if (kind.manage) checks.push(...(await kind.manage.check(settings, tools.ctx, trying)))
  }
  return { checks, settings }
}

/** Error codes by the first check that failed. */
const codes: Readonly<Record<string, ErrorCode>> = {
  connection: 'BRIDGE_CONNECTION_FAILED',
  subscription: 'BRIDGE_CONNECTION_FAILED',
  remote: 'BRIDGE_CONNECTION_FAILED',
  template: 'BRIDGE_INVALID_MUTATOR_SCRIPT',
}

/**
 * The settings of a successful check.
 * @throws AppError BRIDGE_INVALID_SETTINGS, BRIDGE_CONNECTION_FAILED or BRIDGE_INVALID_MUTATOR_SCRIPT with
 * `checks`
 */
export function demand({ checks, settings }: Tried): StoredSettings {
  const failed = checks.find(({ ok }) => !ok)
  if (!failed && settings) return settings
  throw new AppError(codes[failed?.name ?? ''] ?? 'BRIDGE_INVALID_SETTINGS', { checks }, failed?.message)
}

/**
 * Runs a sample through the preset or template: the packets, and a check that explains why there are none.
 */
export async function trySample(
  tools: ConnectorTools,
  trial: Trial,
  settings: StoredSettings,
  sample: string,
): Promise<{ check: Check; packets: JsonValue[] }> {
  const reading = readingOf({ id: trial.connectorId, accountId: trial.accountId, settings })
  const topic = kinds[trial.kind].sampleTopic?.(settings)
  const { packets, refused, event } = await translate(
    apart(tools.ctx.scripts),
    reading,
    foreignMessage(sample, topic === undefined ? {} : { topic }),
  )
  const [problem] = refused
  const message = problem
    ? `${problem.code}: ${problem.message}`
    : event
      ? `${event.name}, no packet`
      : packets.length === 0
        ? 'The message is dropped'
        : ''
  return {
    check: { name: 'sample', ok: problem === undefined, message },
    packets: packets.map(({ packet }) => packet as unknown as JsonValue),
  }
}

async function checkTemplate(tools: ConnectorTools, trial: Trial, template: string): Promise<Check> {
  const { id: _id, ...script } = templateScript({
    connectorId: trial.connectorId,
    accountId: trial.accountId,
    template,
  })
  const checked = await tools.ctx.scripts.check(script)
  if (checked.ok) return { name: 'template', ok: true, message: '' }
  const { message, line, column } = checked.error
  const where = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`
  return { name: 'template', ok: false, message: `${message}${where}` }
}

/**
 * Replaces empty secrets with the stored ones, as long as they are sent to the same destination as before.
 */
function withStoredSecrets(
  kind: AnyKind,
  settings: StoredSettings,
  stored: StoredSettings | null,
): { settings: StoredSettings; missing: string[] } {
  if (!stored) return { settings, missing: [] }
  const filled = { ...settings }
  const missing: string[] = []
  for (const [name, { audience }] of Object.entries(kind.secrets)) {
    const kept = stored[name]
    if (settings[name] || !kept) continue
    if (audience(settings) === audience(stored)) filled[name] = kept
    else missing.push(name)
  }
  return { settings: filled, missing }
}
