import type { ApiKey } from '@leitstand/contract'
import { ApiKeyInput, callsPerMinuteMax } from '@leitstand/contract/apikeys'
import dayjs from 'dayjs'
import i18next from 'i18next'
import { check } from '../../lib/validation.ts'

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
    roleId: key?.roleId ? String(key.roleId) : null,
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

const checkInput = check(ApiKeyInput)

/** Errors by form field. */
export function faultsOf(values: KeyValues): Record<string, string> {
  const { callsPerMinute, scopeId, roleId, validFrom, validUntil } = values
  const isBackwards = validFrom && validUntil && dayjs(validUntil).valueOf() <= dayjs(validFrom).valueOf()
  return {
    ...checkInput({
      ...inputOf(values),
      callsPerMinute: numberOf(callsPerMinute),
      scopeId: numberOf(scopeId),
      roleId: numberOf(roleId),
    }),
    ...(Number(callsPerMinute) > callsPerMinuteMax
      ? { callsPerMinute: i18next.t('errors.MAX_USER_API_TOKEN_LIMIT_TOO_HIGH') }
      : {}),
    ...(isBackwards ? { validUntil: i18next.t('errors.INVALID_DATE_RANGE') } : {}),
  }
}

/** An empty field is null. */
const numberOf = (value: number | string | null) => (value === null || value === '' ? null : Number(value))

export function stateOf(key: Pick<ApiKey, 'validFrom' | 'validUntil'>, nowMs: number): KeyState {
  if (key.validUntil && Date.parse(key.validUntil) <= nowMs) return 'ended'
  return key.validFrom && Date.parse(key.validFrom) > nowMs ? 'notYet' : 'valid'
}
