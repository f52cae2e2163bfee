import { Text, Tooltip } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { createContext, type FocusEvent, useContext, useState } from 'react'
import { formatRelative, formatTimeExact, formatTimeShort } from '../../lib/format.ts'
import { isOnPaper } from '../../lib/paper.ts'
import { useNow } from '../../lib/time.ts'

interface RelativeTimeProps {
  /** ISO string or milliseconds; null shows `empty`. */
  time: string | number | null | undefined
  empty?: string
  dimmed?: boolean
}

/** Whether times are in the tab order. Not in lists, where there are dozens. */
export const TimesReachable = createContext(false)

/** The delay of all tooltips. */
const hoverMs = 400

/** "vor 3 Min.", updated continuously, with the exact time and zone on hover, touch and, outside of lists, focus. */
export function RelativeTime({ time, empty = '–', dimmed = false }: RelativeTimeProps) {
  const nowMs = useNow()
  const [hovered, setHovered] = useState<HTMLElement | null>(null)
  const reachable = useContext(TimesReachable)
  const hover = useTimeout((element: HTMLElement) => setHovered(element), hoverMs)
  const hide = () => {
    hover.clear()
    setHovered(null)
  }
  if (time === null || time === undefined)
    return (
      <Text span inherit c="dimmed">
        {empty}
      </Text>
    )
  return (
    <>
      <Text
        span
        inherit
        component="time"
        className="tabular"
        {...(dimmed ? { c: 'dimmed' } : {})}
        dateTime={new Date(time).toISOString()}
        onMouseEnter={(event) => hover.start(event.currentTarget)}
        onMouseLeave={hide}
        onTouchStart={(event) => setHovered(event.currentTarget)}
        {...(reachable
          ? {
              tabIndex: 0,
              onFocus: (event: FocusEvent<HTMLElement>) => setHovered(event.currentTarget),
              onBlur: hide,
            }
          : {})}
      >
        {isOnPaper() ? formatTimeShort(time) : formatRelative(time, Math.max(nowMs, 0))}
      </Text>
      {/* A list has dozens of times, so the tooltip is mounted only while it is needed. */}
      {hovered ? <Tooltip opened target={hovered} label={formatTimeExact(time)} /> : null}
    </>
  )
}
