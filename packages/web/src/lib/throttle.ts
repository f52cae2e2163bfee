import { useCallback, useEffect, useRef } from 'react'

/**
 * A function that runs at most once in `everyMs`: news come in bursts, and reading again with each of them would never
 * let one reading finish. The run comes at the end of the interval, so the last news is always seen.
 */
export function useThrottled(run: () => void, everyMs: number): () => void {
  const latest = useRef(run)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    latest.current = run
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, everyMs)
  }, [everyMs])
}
