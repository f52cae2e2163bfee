import { loadOptionsFilter } from '../ui/forms/optionsFilter.ts'

/** Loads what features add to screens of others, which is needed before any screen with slots is shown. */
export async function loadSlots(): Promise<void> {
  const [{ fillSlots }] = await Promise.all([import('./slots.ts'), loadOptionsFilter()])
  fillSlots()
}

/** Loads what nearly every screen needs, while the user looks at the first one. */
export function loadAhead(): void {
  const load = () =>
    // Without a network, the screen that needs them reports it.
    void Promise.all([loadSlots(), import('../ui/list/ListPage.tsx')]).catch(() => undefined)
  if ('requestIdleCallback' in window) requestIdleCallback(load, { timeout: 5000 })
  else setTimeout(load, 1000)
}
