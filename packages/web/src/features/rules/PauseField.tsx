import { Badge } from '@mantine/core'
import dayjs from 'dayjs'
import { useTranslation } from 'react-i18next'
import { formatTime } from '../../lib/format.ts'
import { DateTimeField } from '../../ui/forms/DateTimeField.tsx'

interface PauseFieldProps {
  /** ISO 8601; null: the rule is not paused */
  value: string | null
  onChange: (until: string | null) => void
}

/** Until when a rule does not run. */
export function PauseField({ value, onChange }: PauseFieldProps) {
  const { t } = useTranslation()
  return (
    <DateTimeField
      label={t('rules.pausedUntil')}
      w={280}
      placeholder={t('rules.notPaused')}
      value={value === null ? '' : dayjs(value).format('YYYY-MM-DDTHH:mm')}
      onChange={(local) => onChange(local === '' ? null : dayjs(local).toISOString())}
    />
  )
}

/** Marks a rule that is paused now. */
export function PausedMark({ until }: { until: string | null }) {
  const { t } = useTranslation()
  if (until === null || Date.parse(until) <= Date.now()) return null
  return (
    <Badge size="sm" variant="light" color="gray" ml={8}>
      {t('rules.paused', { until: formatTime(until) })}
    </Badge>
  )
}
