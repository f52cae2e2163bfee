import type { LiveTopic } from '@leitstand/contract/live'
import { useEffect, useRef } from 'react'
import { tokenStore } from './api.ts'
import { LiveConnection, type LiveHandler, type LiveStatus } from './liveConnection.ts'
import { sessionStore, verifySession } from './session.ts'
import { useStore } from './store.ts'

/** The tab's connection: open while somebody is signed in. */
export const live = new LiveConnection({
  url: `${location.origin.replace(/^http/, 'ws')}/api/live`,
  token: () => tokenStore.get(),
  open: (url) => new WebSocket(url),
  onUnauthorised: () => void verifySession(),
  random: Math.random,
})

function followSession(): void {
  if (sessionStore.get().status === 'user') live.start()
  else live.stop()
}

sessionStore.subscribe(followSession)
followSession()
window.addEventListener('online', () => live.retryNow())
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') live.retryNow()
})

/** Status of the live connection, followed. */
export function useLiveStatus(): LiveStatus {
  return useStore(live.status)
}

/**
 * Follows a live topic while the component is shown.
 * @param topic e.g. `twin:12`; null follows nothing
 * @param onMessage called for every message of the topic, also `subscribed`, `refused` and `resync` (read again)
 */
export function useLive(topic: LiveTopic | null, onMessage: LiveHandler): void {
  const latest = useRef(onMessage)
  useEffect(() => {
    latest.current = onMessage
  })
  useEffect(
    () => (topic === null ? undefined : live.subscribe(topic, (message) => latest.current(message))),
    [topic],
  )
}
