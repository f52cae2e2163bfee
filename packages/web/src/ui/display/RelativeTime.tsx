import { Text, Tooltip } from '@mantine/core'
import { formatRelative, formatTimeExact } from '../../lib/format.ts'
import { useNow } from '../../lib/time.ts'

interface RelativeTimeProps {
  /** ISO string or milliseconds; null shows `empty`. */
  time: string | number | null | undefined
  empty?: string
  dimmed?: boolean
}

/** "vor 3 Min.", updated continuously, with the exact time and zone on hover. */
export function RelativeTime({ time, empty = '–', dimmed = false }: RelativeTimeProps) {
  const nowMs = useNow()
  if (time === null || time === undefined)
    return (
      <Text span inherit c="dimmed">
        {empty}
      </Text>
    )
  return (
    <Tooltip label={formatTimeExact(time)}>
      <Text
        span
        inherit
        component="time"
        className="tabular"
        {...(dimmed ? { c: 'dimmed' } : {})}
        dateTime={new Date(time).toISOString()}
      >
        {formatRelative(time, Math.max(nowMs, 0))}
      </Text>
    </Tooltip>
  )
}
