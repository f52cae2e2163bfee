import { useEffect, useState } from 'react'
import { usualSpeed } from './playback.ts'

/** Frames per second: each draws the map. */
const framesPerSecond = 20

export interface Playback {
  fromMs: number
  toMs: number
  /** null: the whole period, as it is now */
  atMs: number | null
  playing: boolean
  /** ms of history per second */
  speed: number
  setSpeed: (speed: number) => void
  /** Shows a moment, and stops. */
  show: (atMs: number | null) => void
  toggle: () => void
}

/**
 * A moment of a period that can be played. The ends may move while it is played: more may be loaded, or reported.
 * @param key another one begins with the whole period
 */
export function usePlayback(key: string, { fromMs, toMs }: { fromMs: number; toMs: number }): Playback {
  const [atMs, setAt] = useState<number | null>(null)
  const [playing, setPlaying] = useState(false)
  const [chosenSpeed, setSpeed] = useState<number>()
  const [shownKey, setShownKey] = useState(key)
  if (shownKey !== key) {
    setShownKey(key)
    setAt(null)
    setPlaying(false)
  }
  const speed = chosenSpeed ?? usualSpeed(toMs - fromMs)
  useEffect(() => {
    if (!playing) return undefined
    let before = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      const passedMs = ((now - before) / 1000) * speed
      before = now
      setAt((at) => Math.min(toMs, (at ?? fromMs) + passedMs))
    }, 1000 / framesPerSecond)
    return () => clearInterval(timer)
  }, [playing, speed, fromMs, toMs])
  const isOver = atMs !== null && atMs >= toMs
  if (playing && isOver) setPlaying(false)
  return {
    fromMs,
    toMs,
    atMs,
    playing,
    speed,
    setSpeed,
    show: (at) => {
      setPlaying(false)
      setAt(at === null ? null : Math.max(fromMs, Math.min(toMs, at)))
    },
    toggle: () => {
      if (!playing && (atMs === null || isOver)) setAt(fromMs)
      setPlaying(!playing)
    },
  }
}
