import type { ApiKey } from '@leitstand/contract'
import { callsPerMinuteMax } from '@leitstand/contract/apikeys'
import dayjs from 'dayjs'

/** Form values of a key; times are local, in the format of the browser's input. */
export interface KeyValues {
  title: string
  callsPerMinute: number | string
  validFrom: string
  validUntil: string
  scopeId: string | null
  roleId: string | null
}

export type KeyState = 'valid' | 'notYet' | 'ended'

const localFormat = 'YYYY-MM-DDTHH:mm'

export function valuesOf(key: ApiKey | null, rootScopeId: number | undefined): KeyValues {
  const local = (time: string | null | undefined) => (time ? dayjs(time).format(localFormat) : '')
  const scopeId = key?.scopeId ?? rootScopeId
  return {
    title: key?.title ?? '',
    callsPerMinute: key?.callsPerMinute ?? callsPerMinuteMax,
    validFrom: local(key?.validFrom),
    validUntil: local(key?.validUntil),
    scopeId: scopeId === undefined ? null : String(scopeId),
    roleId: key ? String(key.roleId) : null,
  }
}

/** Converts the values to the API's input. */
export function inputOf(values: KeyValues) {
  const iso = (local: string) => (local === '' ? null : dayjs(local).toISOString())
  return {
    title: values.title.trim(),
    callsPerMinute: Number(values.callsPerMinute),
    validFrom: iso(values.validFrom),
    validUntil: iso(values.validUntil),
    scopeId: Number(values.scopeId),
    roleId: Number(values.roleId),
  }
}

/** Errors, as text keys. */
export function faultsOf(values: KeyValues): Partial<Record<keyof KeyValues, string>> {
  const limit = Number(values.callsPerMinute)
  const { validFrom, validUntil } = values
  return {
    ...(values.title.trim() === '' ? { title: 'validation.required' } : {}),
    ...(Number.isInteger(limit) && limit >= 1 && limit <= callsPerMinuteMax
      ? {}
      : { callsPerMinute: 'errors.MAX_USER_API_TOKEN_LIMIT_TOO_HIGH' }),
    ...(validFrom && validUntil && dayjs(validUntil).valueOf() <= dayjs(validFrom).valueOf()
      ? { validUntil: 'errors.INVALID_DATE_RANGE' }
      : {}),
    ...(values.scopeId === null ? { scopeId: 'validation.required' } : {}),
    ...(values.roleId === null ? { roleId: 'validation.required' } : {}),
  }
}

export function stateOf(key: Pick<ApiKey, 'validFrom' | 'validUntil'>, nowMs: number): KeyState {
  if (key.validUntil && Date.parse(key.validUntil) <= nowMs) return 'ended'
  return key.validFrom && Date.parse(key.validFrom) > nowMs ? 'notYet' : 'valid'
}
