import type { Preset } from '@leitstand/contract/bridge'
import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import classes from '../devices.module.css'
import { noteOf } from './identifierNote.ts'

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
