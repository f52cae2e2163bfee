import { useCallback, useEffect, useRef } from 'react'

/**
 * A function that runs at most once in `everyMs`: events come in bursts, and reloading on each would never
 * let a request finish. It runs at the end of the interval, so the last event is always included.
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
