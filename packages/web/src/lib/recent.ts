import { useEffect } from 'react'
import { isRecent, type Recent, type RecentKind, withRecent } from './recentEntries.ts'
import { sessionStore } from './session.ts'
import { createStoredStore } from './store.ts'

export { thingPath } from './recentEntries.ts'

/** Recently opened objects in this browser, newest first, of all users who sign in here. */
export const recentStore = createStoredStore<readonly Recent[]>('recent', [], (stored) =>
  Array.isArray(stored) ? stored.filter(isRecent) : undefined,
)

/** Records that the user opened an object; detail screens call it once the title is known. */
export function useRecordRecent(kind: RecentKind, id: number, title: string | undefined): void {
  useEffect(() => {
    const session = sessionStore.get()
    if (title === undefined || session.status !== 'user') return
    const entry = { userId: session.user.id, kind, id, title, at: Date.now() }
    recentStore.set((entries) => withRecent(entries, entry))
  }, [kind, id, title])
}
