import type { LiveTopic } from '@leitstand/contract/live'
import { useEffect, useRef } from 'react'
import { tokenStore } from './api.ts'
import { LiveConnection, type LiveHandler, type LiveStatus } from './liveConnection.ts'
import { sessionStore, verifySession } from './session.ts'
import { useStore } from './store.ts'

/** The tab's connection: open while a user is signed in. */
export const live = new LiveConnection({
  url: `${location.origin.replace(/^http/, 'ws')}/api/live`,
  token: () => tokenStore.get(),
  open: (url) => new WebSocket(url),
  onUnauthorised: () => void verifySession(),
  random: Math.random,
  isWatched: () => document.visibilityState === 'visible',
})

function followSession(): void {
  if (sessionStore.get().status === 'user') live.start()
  else live.stop()
}

sessionStore.subscribe(followSession)
followSession()
window.addEventListener('online', () => live.retryNow())
window.addEventListener('offline', () => live.loseNetwork())
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') live.retryNow()
})

/** The live connection's status; re-renders on change. */
export function useLiveStatus(): LiveStatus {
  return useStore(live.status)
}

/**
 * Subscribes to a live topic while the component is mounted.
 * @param topic e.g. `twin:12`; null subscribes to nothing
 * @param onMessage called for every message of the topic, including `subscribed`, `refused` and `resync`
 *   (reload the data)
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
