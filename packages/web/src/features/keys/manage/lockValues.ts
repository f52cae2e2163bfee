import type { JsonValue } from '@leitstand/contract/common'
import type { Lock, LockWay } from '@leitstand/contract/keys'

/** The form of a lock: the fields of every way, whichever is chosen. */
export interface LockValues {
  twinId: number | null
  kind: LockWay['kind']
  deviceId: number | null
  name: string
  parameters: Record<string, string | number | boolean>
  connectorId: number | null
  topic: string
  payload: string
  /** null: it does not report */
  stateId: number | null
  /** as it is typed */
  value: string
  waitSeconds: number
  throttleSeconds: number
  needsCode: boolean
  withinMetres: number | null
}

export function lockValues(lock: Lock | null): LockValues {
  const { way } = lock ?? {}
  return {
    twinId: lock?.twin.id ?? null,
    kind: way?.kind ?? 'connector-command',
    deviceId: way?.kind === 'downlink' ? way.deviceId : null,
    name: way?.kind === 'downlink' ? way.name : '',
    parameters: way?.kind === 'downlink' ? way.values : {},
    connectorId: way === undefined || way.kind === 'downlink' ? null : way.connectorId,
    topic: way?.kind === 'connector-command' ? way.topic : '',
    payload: way === undefined || way.kind === 'downlink' ? '' : way.payload,
    stateId: lock?.report?.stateId ?? null,
    value: textOf(lock?.report?.value),
    waitSeconds: lock?.waitSeconds ?? 20,
    throttleSeconds: lock?.throttleSeconds ?? 5,
    needsCode: lock?.needsCode ?? false,
    withinMetres: lock?.withinMetres ?? null,
  }
}

const textOf = (value: JsonValue | undefined): string =>
  value === undefined ? 'true' : typeof value === 'string' ? value : JSON.stringify(value)

/** `true`, `1` and other JSON is meant as that; everything else is a text. */
function typedValue(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

export function lockInput(values: LockValues) {
  const { stateId, value, waitSeconds, throttleSeconds, needsCode, withinMetres } = values
  return {
    way: wayOf(values),
    report: stateId === null ? null : { stateId, value: typedValue(value.trim()) },
    waitSeconds,
    throttleSeconds,
    needsCode,
    withinMetres,
  }
}

function wayOf({ kind, deviceId, name, parameters, connectorId, topic, payload }: LockValues): LockWay {
  if (kind === 'downlink') return { kind, deviceId: deviceId ?? 0, name, values: parameters }
  if (kind === 'webhook') return { kind, connectorId: connectorId ?? 0, payload }
  return { kind, connectorId: connectorId ?? 0, topic: topic.trim(), payload }
}

/** Fields that are missing, each with this text. */
export function faultsOf(values: LockValues, required: string): Record<string, string> {
  const { kind, twinId, deviceId, name, connectorId, topic, stateId, value } = values
  const missing = {
    twinId: twinId === null,
    deviceId: kind === 'downlink' && deviceId === null,
    name: kind === 'downlink' && name === '',
    connectorId: kind !== 'downlink' && connectorId === null,
    topic: kind === 'connector-command' && topic.trim() === '',
    value: stateId !== null && value.trim() === '',
  }
  return Object.fromEntries(
    Object.entries(missing)
      .filter(([, isMissing]) => isMissing)
      .map(([field]) => [field, required]),
  )
}
