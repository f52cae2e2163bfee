import { Skeleton, Stack } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** Delay before a skeleton shows, so that fast replies do not flicker. */
const delayMs = 150

/** Widths of the lines of a text skeleton. */
const lineWidths = ['92%', '75%', '84%', '61%', '88%', '70%', '55%', '80%', '66%', '78%']

/** True once `delayMs` (150) have passed; for skeletons and spinners. */
export function useDelayed(ms: number = delayMs): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return late
}

interface LoadingProps {
  /** A skeleton in the final layout; default: lines of text. */
  children?: ReactNode
  /** At most 10. */
  lines?: number
}

/** Skeleton shown while loading, after 150 ms; announced to screen readers. */
export function Loading({ children, lines = 6 }: LoadingProps) {
  const { t } = useTranslation()
  const late = useDelayed()
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label={t('common.loading')}
      style={{ minHeight: late ? undefined : 120 }}
    >
      {late
        ? (children ?? (
            <Stack gap={10} py="md">
              {lineWidths.slice(0, lines).map((width) => (
                <Skeleton key={width} height={14} width={width} />
              ))}
            </Stack>
          ))
        : null}
    </div>
  )
}
