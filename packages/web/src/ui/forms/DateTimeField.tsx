import { DatesProvider, DateTimePicker } from '@mantine/dates'
import dayjs from 'dayjs'
import 'dayjs/locale/de'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { dayTimeFormat } from './dateFormats.ts'
import './dates.css'

const pickerFormat = 'YYYY-MM-DD HH:mm:ss'

interface DateTimeFieldProps {
  label: string
  /** local time as 2026-03-04T12:30; empty if nothing is selected */
  value: string
  onChange: (local: string) => void
  placeholder?: string
  w?: number
  error?: ReactNode
}

/**
 * An optional date with time in the browser's time zone, in the console's language instead of the browser's.
 */
export function DateTimeField({ value, onChange, ...field }: DateTimeFieldProps) {
  const { i18n } = useTranslation()
  return (
    <DatesProvider settings={{ locale: i18n.language, firstDayOfWeek: 1 }}>
      <DateTimePicker
        {...field}
        clearable
        valueFormat={dayTimeFormat(i18n.language)}
        popoverProps={{ withinPortal: true }}
        value={value === '' ? null : dayjs(value).format(pickerFormat)}
        onChange={(chosen) => onChange(chosen === null ? '' : dayjs(chosen).format('YYYY-MM-DDTHH:mm'))}
      />
    </DatesProvider>
  )
}
