import type { Preset } from '@leitstand/contract/bridge'
import { fitsPreset, isEui64, looksLikeEui, normaliseExternalId } from '@leitstand/contract/identifiers'
import { TextInput } from '@mantine/core'
import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from '../devices.module.css'

interface ExternalIdInputProps {
  value: string
  onChange: (value: string) => void
  onBlur?: () => void
  error?: ReactNode
  autoFocus?: boolean
  /** how the connector reads messages, if one is selected */
  preset?: Preset | undefined
}

/** The external id; shows at once whether it is an EUI and how it will be stored. */
export function ExternalIdInput({ value, preset, ...props }: ExternalIdInputProps) {
  const { onChange, onBlur, error, autoFocus = false } = props
  const { t } = useTranslation()
  const note = noteOf(value, preset, t)
  return (
    <TextInput
      label={t('devices.field.externalId')}
      description={note}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={onBlur}
      error={error}
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
      classNames={{ input: classes.mono ?? '' }}
      {...(autoFocus ? { 'data-autofocus': true } : {})}
    />
  )
}

function noteOf(value: string, preset: Preset | undefined, t: TFunction): string {
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
