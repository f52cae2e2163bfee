import { Title } from '@leitstand/contract/common'
import { type ConnectorKind, connectorSettings } from '@leitstand/contract/connectors/kinds/index'
import i18next from 'i18next'
import * as z from 'zod'
import { check } from '../../lib/validation.ts'
import { kinds } from './kinds/index.ts'
import type { ConnectorValues, SettingsValues } from './kinds/types.ts'
import { settingsFor } from './settings.ts'

export const emptySettings = (kind: ConnectorKind): SettingsValues => kinds[kind].empty()

/** Stored settings as form values; a field of an unexpected type gets its default. */
export function settingsFrom(kind: ConnectorKind, stored: Record<string, unknown>): SettingsValues {
  const values = kinds[kind].empty()
  const secrets = kinds[kind].secrets(values)
  for (const [key, start] of Object.entries(values)) {
    const { [key]: value } = stored
    const isSame = typeof start === typeof value && Array.isArray(start) === Array.isArray(value)
    if (isSame && !(key in secrets)) Object.assign(values, { [key]: value })
  }
  const { messagesPerSecond: limit } = stored
  values.messagesPerSecond = typeof limit === 'number' ? limit : ''
  return values
}

/**
 * Checks the whole form with the contract's schema of the kind.
 * @param isNew a new connector needs its secrets; on a change, empty ones keep the stored ones
 */
export function checkConnector(
  kind: ConnectorKind,
  isNew: boolean,
): (values: ConnectorValues) => Record<string, string> {
  const general = check(z.object({ name: Title, description: z.string().max(4000) }))
  const own = check(connectorSettings[kind])
  return ({ settings, ...values }) => {
    const errors = general(values)
    for (const [path, text] of Object.entries(own(settingsFor(settings)))) errors[`settings.${path}`] = text
    const missing = i18next.t('validation.required')
    if (isNew && values.accountId === null) errors.accountId = missing
    for (const [name, isNeeded] of Object.entries(kinds[kind].secrets(settings))) {
      if (isNew && isNeeded && settings[name] === '') errors[`settings.${name}`] = missing
    }
    if (settings.preset === 'template' && settings.template.trim() === '')
      errors['settings.template'] = missing
    return errors
  }
}
