import { Box, Button, Skeleton, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { retryMissing } from '../../lib/retry.ts'
import { Icon } from '../display/Icon.tsx'

/** Delay before a skeleton shows, so that fast replies do not flicker. */
const delayMs = 150

/** After this time a skeleton says that it takes long, and offers to try again. */
const longMs = 15_000

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

/** Skeleton shown while loading, after 150 ms; announced to screen readers. After 15 s it offers to try again. */
export function Loading(props: LoadingProps) {
  const cache = useQueryClient()
  const [tries, setTries] = useState(0)
  const retry = () => {
    setTries(tries + 1)
    void retryMissing(cache)
  }
  return <OneLoading key={tries} {...props} onRetry={retry} />
}

function OneLoading({ children, lines = 6, onRetry }: LoadingProps & { onRetry: () => void }) {
  const { t } = useTranslation()
  const late = useDelayed()
  const long = useDelayed(longMs)
  // The room is taken from the start, so that nothing moves.
  const hidden = late ? {} : { style: { visibility: 'hidden' as const } }
  return (
    <div role="status" aria-busy={!long} {...(long ? {} : { 'aria-label': t('common.loading') })}>
      {long ? (
        <Stack align="center" gap="sm" py="lg" px="md">
          <Text size="sm" c="dimmed" ta="center">
            {t('common.loadingLong')}
          </Text>
          <Button variant="default" leftSection={<Icon of={IconRefresh} />} onClick={onRetry}>
            {t('common.retry')}
          </Button>
        </Stack>
      ) : children === undefined ? (
        <Stack gap={10} py="md" {...hidden}>
          {lineWidths.slice(0, lines).map((width) => (
            <Skeleton key={width} height={14} width={width} />
          ))}
        </Stack>
      ) : (
        <Box {...hidden}>{children}</Box>
      )}
    </div>
  )
}
