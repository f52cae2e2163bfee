import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api } from '../../lib/api.ts'
import { useLive } from '../../lib/live.ts'
import { reread } from '../../lib/reread.ts'

/** Collects a burst of changes into one refresh. */
const gatherMs = 800

/** Reads tickets again after some have changed, once per burst. */
export function useLiveTickets(): void {
  const cache = useQueryClient()
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(waiting.current), [])
  useLive('tickets', (message) => {
    if ((message.kind !== 'ticket' && message.kind !== 'resync') || waiting.current !== undefined) return
    waiting.current = setTimeout(() => {
      waiting.current = undefined
      void reread(cache, api.isFmTicket.key())
    }, gatherMs)
  })
}
