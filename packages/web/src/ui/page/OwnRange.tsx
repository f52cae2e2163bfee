import { Button, Text } from '@mantine/core'
import { DatesProvider, DateTimePicker } from '@mantine/dates'
import dayjs from 'dayjs'
import 'dayjs/locale/de'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dayTimeFormat } from '../forms/dateFormats.ts'
import '../forms/dates.css'

const format = 'YYYY-MM-DD HH:mm:ss'

interface OwnRangeProps {
  initial: { fromMs: number; toMs: number }
  onApply: (range: { fromMs: number; toMs: number }) => void
}

/** Two ends with date and time in the browser's time zone; its code is loaded when the popover opens. */
export default function OwnRange({ initial, onApply }: OwnRangeProps) {
  const { t, i18n } = useTranslation()
  const [from, setFrom] = useState<string | null>(dayjs(initial.fromMs).format(format))
  const [to, setTo] = useState<string | null>(dayjs(initial.toMs).format(format))
  const fromMs = from === null ? Number.NaN : dayjs(from).valueOf()
  const toMs = to === null ? Number.NaN : dayjs(to).valueOf()
  const valid = fromMs < toMs
  const common = {
    valueFormat: dayTimeFormat(i18n.language),
    size: 'sm',
    popoverProps: { withinPortal: true },
  } as const
  return (
    <DatesProvider settings={{ locale: i18n.language, firstDayOfWeek: 1 }}>
      <DateTimePicker {...common} label={t('timeRange.from')} value={from} onChange={setFrom} />
      <DateTimePicker
        {...common}
        label={t('timeRange.to')}
        value={to}
        onChange={setTo}
        error={from !== null && to !== null && !valid ? t('timeRange.invalid') : null}
      />
      <Text size="xs" c="dimmed">
        {t('timeRange.zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}
      </Text>
      <Button size="sm" disabled={!valid} onClick={() => onApply({ fromMs, toMs })}>
        {t('timeRange.apply')}
      </Button>
    </DatesProvider>
  )
}
