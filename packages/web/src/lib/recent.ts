import { useEffect } from 'react'
import { sessionStore } from './session.ts'
import { createStoredStore } from './store.ts'

/** Most things that are remembered as recently opened. */
const recentMax = 12

export type RecentKind = 'digitalTwin' | 'virtualDevice' | 'dashboard' | 'smartGroup'

export interface Recent {
  userId: number
  kind: RecentKind
  id: number
  title: string
  at: number
}

function isRecent(value: unknown): value is Recent {
  if (typeof value !== 'object' || value === null) return false
  const entry = value as Partial<Recent>
  return typeof entry.userId === 'number' && typeof entry.id === 'number' && typeof entry.title === 'string'
}

/** Things opened lately in this browser, newest first, of every user who signs in here. */
export const recentStore = createStoredStore<readonly Recent[]>('recent', [], (stored) =>
  Array.isArray(stored) ? stored.filter(isRecent) : undefined,
)

/** Remembers that the user opened something; detail screens call it once the title is known. */
export function useRecordRecent(kind: RecentKind, id: number, title: string | undefined): void {
  useEffect(() => {
    const session = sessionStore.get()
    if (title === undefined || session.status !== 'user') return
    const userId = session.user.id
    recentStore.set((entries) =>
      [
        { userId, kind, id, title, at: Date.now() },
        ...entries.filter((entry) => entry.userId !== userId || entry.kind !== kind || entry.id !== id),
      ].slice(0, recentMax * 3),
    )
  }, [kind, id, title])
}

/** Where a thing is shown. */
export function thingPath(kind: RecentKind, id: number): string {
  const paths: Record<RecentKind, string> = {
    digitalTwin: '/digitaltwin-mgmt',
    virtualDevice: '/virtual-devices',
    dashboard: '/dashboards',
    smartGroup: '/virtual-device-groups',
  }
  return `${paths[kind]}/${id}`
}
