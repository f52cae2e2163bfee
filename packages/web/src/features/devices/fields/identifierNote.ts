import type { Preset } from '@leitstand/contract/bridge'
import { fitsPreset, isEui64, looksLikeEui, normaliseExternalId } from '@leitstand/contract/identifiers'
import type { TFunction } from 'i18next'

export function noteOf(value: string, preset: Preset | undefined, t: TFunction): string {
  const kept = normaliseExternalId(value)
  const digits = value.replace(/[^0-9a-f]/gi, '').length
  if (isEui64(value))
    return kept === value ? t('devices.form.euiRight') : t('devices.form.euiKept', { eui: kept })
  const wanted =
    preset === 'chirpstack-v4'
      ? t('devices.form.euiWanted')
      : preset === 'tts-v3'
        ? t('devices.form.euiOrId')
        : undefined
  if (value.trim() === '') return wanted ?? t('devices.form.externalIdHint')
  if (looksLikeEui(value))
    return t(wanted === undefined ? 'devices.form.euiIncomplete' : 'devices.form.euiCount', { count: digits })
  return wanted !== undefined && !fitsPreset(value, preset ?? 'standard') ? wanted : t('devices.form.notEui')
}
