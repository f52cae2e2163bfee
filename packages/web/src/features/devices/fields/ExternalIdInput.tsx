import { isEui64, normaliseExternalId } from '@leitstand/contract/identifiers'
import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from '../devices.module.css'

interface ExternalIdInputProps {
  value: string
  onChange: (value: string) => void
  onBlur?: () => void
  error?: ReactNode
  autoFocus?: boolean
}

/** The external id; says at once whether it reads as an EUI and how it will be kept. */
export function ExternalIdInput({ value, onChange, onBlur, error, autoFocus = false }: ExternalIdInputProps) {
  const { t } = useTranslation()
  const kept = normaliseExternalId(value)
  const note =
    value.trim() === ''
      ? t('devices.form.externalIdHint')
      : isEui64(value)
        ? kept === value
          ? t('devices.form.euiRight')
          : t('devices.form.euiKept', { eui: kept })
        : looksLikeEui(value)
          ? t('devices.form.euiIncomplete', { count: hexDigits(value).length })
          : t('devices.form.notEui')
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

function hexDigits(text: string): string {
  return text.replace(/[^0-9a-f]/gi, '')
}

/** Mostly hexadecimal digits and separators, but not 16 of them: probably a mistyped EUI. */
function looksLikeEui(text: string): boolean {
  const digits = hexDigits(text)
  return /^[0-9a-f\s:.-]+$/i.test(text.trim()) && digits.length >= 12 && digits.length <= 20
}
