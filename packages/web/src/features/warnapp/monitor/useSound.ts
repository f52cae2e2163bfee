import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { alarmTone, silence } from '../tone.ts'

/** `asking`: not known yet; `off`: a person has to start it, the browser plays nothing before. */
export type SoundState = 'asking' | 'off' | 'on'

/**
 * The sound of alarms. Browsers play nothing before a person has touched the page, unless a kiosk allows it; whether they do
 * is tried with silence.
 * @param url the sound while an alarm is heard; null: the built-in one; undefined: no alarm
 */
export function useSound(url: string | null | undefined) {
  const element = useRef<HTMLAudioElement>(null)
  const [state, setState] = useState<SoundState>('asking')
  const built = useMemo(
    () => ({ alarm: URL.createObjectURL(alarmTone()), nothing: URL.createObjectURL(silence()) }),
    [],
  )
  const play = useCallback(
    async (source: string, loops: boolean) => {
      const audio = element.current
      if (audio === null) return
      if (audio.src !== source) audio.src = source
      audio.loop = loops
      try {
        await audio.play()
        setState('on')
      } catch (error) {
        if (!(error instanceof DOMException)) throw error
        // Another sound has taken its place.
        if (error.name === 'AbortError') return
        if (error.name === 'NotAllowedError') return setState('off')
        // A file that this browser cannot play must not make an alarm silent.
        if (source !== built.alarm) await play(built.alarm, loops)
        else setState('off')
      }
    },
    [built],
  )
  useEffect(() => void play(built.nothing, false), [play, built])
  const wanted = url === null ? built.alarm : url
  useEffect(() => {
    if (state !== 'on') return
    if (wanted !== undefined) void play(wanted, true)
    else if (element.current?.loop) element.current.pause()
  }, [state, wanted, play])
  return {
    element,
    state,
    /** By a touch: what is heard then tells that it works. */
    start: () => void play(wanted ?? built.alarm, wanted !== undefined),
    stop: () => {
      element.current?.pause()
      setState('off')
    },
  }
}
