import { TimePicker } from '@mantine/dates'
import { useTranslation } from 'react-i18next'
import './dates.css'

interface TimeFieldProps {
  label: string
  /** `07:30`; empty while it is incomplete */
  value: string
  onChange: (time: string) => void
  width?: number
}

/** A time of day on a 24-hour clock, also where the browser would use another one. */
export function TimeField({ label, value, onChange, width = 110 }: TimeFieldProps) {
  const { t } = useTranslation()
  return (
    <TimePicker
      label={label}
      w={width}
      format="24h"
      hoursInputLabel={t('form.hoursOf', { field: label })}
      minutesInputLabel={t('form.minutesOf', { field: label })}
      value={value}
      // The library adds seconds to some values.
      onChange={(time) => onChange(time.slice(0, 5))}
    />
  )
}
