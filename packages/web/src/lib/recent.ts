import { useEffect } from 'react'
import { sessionStore } from './session.ts'
import { createStoredStore } from './store.ts'

/** Maximum recently opened objects. */
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

/** Recently opened objects in this browser, newest first, of all users who sign in here. */
export const recentStore = createStoredStore<readonly Recent[]>('recent', [], (stored) =>
  Array.isArray(stored) ? stored.filter(isRecent) : undefined,
)

/** Records that the user opened an object; detail screens call it once the title is known. */
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

/** The page of an object. */
export function thingPath(kind: RecentKind, id: number): string {
  const paths: Record<RecentKind, string> = {
    digitalTwin: '/digitaltwin-mgmt',
    virtualDevice: '/virtual-devices',
    dashboard: '/dashboards',
    smartGroup: '/virtual-device-groups',
  }
  return `${paths[kind]}/${id}`
}
