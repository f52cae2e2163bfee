import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'

/** Collects a burst of alarms into one refresh. */
const gatherMs = 800

/** Reads lists of alarms again after alarms changed, once per burst. */
export function useLiveAlarms(): void {
  const cache = useQueryClient()
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(waiting.current), [])
  useLive('alarms', (message) => {
    if ((message.kind !== 'alarm' && message.kind !== 'resync') || waiting.current !== undefined) return
    waiting.current = setTimeout(() => {
      waiting.current = undefined
      void reread(cache, api.alarmLogs.key())
    }, gatherMs)
  })
}
