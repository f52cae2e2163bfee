import { DateInput, DatesProvider } from '@mantine/dates'
import 'dayjs/locale/de'
import { useTranslation } from 'react-i18next'
import { dayFormat } from './dateFormats.ts'
import './dates.css'

interface DateFieldProps {
  label: string
  /** `2026-03-04`; empty if nothing is selected */
  value: string
  onChange: (day: string) => void
}

/** A day, in the console's language instead of the browser's. */
export function DateField({ label, value, onChange }: DateFieldProps) {
  const { i18n } = useTranslation()
  return (
    <DatesProvider settings={{ locale: i18n.language, firstDayOfWeek: 1 }}>
      <DateInput
        label={label}
        w={160}
        valueFormat={dayFormat(i18n.language)}
        popoverProps={{ withinPortal: true }}
        value={value === '' ? null : value}
        onChange={(day) => onChange(day ?? '')}
      />
    </DatesProvider>
  )
}
