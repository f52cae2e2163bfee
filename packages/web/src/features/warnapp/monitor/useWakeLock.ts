import { useEffect, useState } from 'react'

/** `none`: the browser does not keep the screen on, at least not now. */
export type WakeState = 'asking' | 'held' | 'none'

/** Keeps the screen on while the page is visible; asked for again each time it becomes visible. */
export function useWakeLock(): WakeState {
  const [state, setState] = useState<WakeState>('asking')
  useEffect(() => {
    let lock: WakeLockSentinel | undefined
    let isOver = false
    const hold = async () => {
      if (document.visibilityState !== 'visible' || (lock && !lock.released)) return
      try {
        // Without TLS browsers have none.
        if (!('wakeLock' in navigator)) return setState('none')
        lock = await navigator.wakeLock.request('screen')
        if (isOver) return void lock.release()
        lock.addEventListener('release', () => setState(isOver ? 'asking' : 'none'))
        setState('held')
      } catch {
        // It is refused, for example because the battery is low; the screen says so.
        setState('none')
      }
    }
    void hold()
    document.addEventListener('visibilitychange', hold)
    return () => {
      isOver = true
      document.removeEventListener('visibilitychange', hold)
      void lock?.release()
    }
  }, [])
  return state
}
