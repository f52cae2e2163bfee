import { normaliseExternalId } from '@leitstand/contract/identifiers'
import type { SettingsOf } from '@leitstand/contract/states'
import { invalid, nothing, type SourceKind } from '../types.ts'

export const connector: SourceKind<SettingsOf<'connector'>> = {
  isAggregate: false,
  isSettable: true,
  listens: true,
  check(settings, { category, key }) {
    const variable = settings.variable?.trim() || undefined
    if (category === 'virtualDevice') {
      return { ...nothing, settings: { variable: variable ?? key }, variable: variable ?? key }
    }
    const { connectorId } = settings
    const identifier = settings.identifier?.trim()
    if (connectorId === undefined) throw invalid('sourceSettings.connectorId', 'A connector is needed')
    if (!identifier) throw invalid('sourceSettings.identifier', 'The identifier to listen to is needed')
    return {
      settings: { connectorId, identifier, ...(variable ? { variable } : {}) },
      connectorId,
      identifier: normaliseExternalId(identifier),
      variable: variable ?? null,
      sourceIds: [],
      query: null,
    }
  },
}
