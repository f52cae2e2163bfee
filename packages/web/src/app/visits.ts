import { useEffect } from 'react'
import { pageTitleStore } from '../lib/page.ts'
import { sessionStore } from '../lib/session.ts'
import { createStoredStore, useStore } from '../lib/store.ts'
import { useScreen, useShownPath } from './pageEffects.ts'
import { isVisit, type Visit, withVisit } from './visitList.ts'

/** Pages opened in this browser, newest first, of all users who sign in here. */
export const visitStore = createStoredStore<readonly Visit[]>('visits', [], (stored) =>
  Array.isArray(stored) ? stored.filter(isVisit) : undefined,
)

/** Records every page that is shown, under the title of the thing it shows. */
export function useRecordVisits(): void {
  const screen = useScreen()
  const path = useShownPath()
  const own = useStore(pageTitleStore)
  useEffect(() => {
    const session = sessionStore.get()
    if (screen === undefined || session.status !== 'user') return
    // The title of the page before is gone by now; that of this page may not be known yet.
    const title = own === pageTitleStore.get() ? own : null
    const isThing = screen.path.includes('$')
    if (isThing && !title) return
    const visit = { userId: session.user.id, path, key: screen.key }
    if (!isVisit(visit)) return
    visitStore.set((visits) => withVisit(visits, isThing && title ? { ...visit, title } : visit))
  }, [screen, path, own])
}
