import type { LiveTopic } from '@leitstand/contract/live'
import { useEffect, useRef } from 'react'
import { tokenStore } from './api.ts'
import { LiveConnection, type LiveHandler, type LiveStatus } from './liveConnection.ts'
import { sessionStore, verifySession } from './session.ts'
import { useStore } from './store.ts'
import { liveTokenOf, visitorStore } from './visitor.ts'

/** The tab's connection: open while a user is signed in, or a public page is shown. */
export const live = new LiveConnection({
  url: `${location.origin.replace(/^http/, 'ws')}/api/live`,
  token: () => {
    const visitor = visitorStore.get()
    return visitor ? liveTokenOf(visitor) : tokenStore.get()
  },
  open: (url) => new WebSocket(url),
  onUnauthorised: () => {
    if (visitorStore.get()) for (const look of whenEnded) look()
    else void verifySession()
  },
  random: Math.random,
  isWatched: () => document.visibilityState === 'visible',
})

/** Called when the link of a public page has ended or been locked. */
const whenEnded = new Set<() => void>()

/** Registers a listener for the end of the link of a public page. */
export function onLinkEnd(listener: () => void): () => void {
  whenEnded.add(listener)
  return () => {
    whenEnded.delete(listener)
  }
}

function followSession(): void {
  if (visitorStore.get() || sessionStore.get().status === 'user') live.start()
  else live.stop()
}

visitorStore.subscribe(() => {
  // It belongs to one caller: another one needs a new connection.
  live.stop()
  followSession()
})

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
