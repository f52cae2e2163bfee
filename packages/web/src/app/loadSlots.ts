import { loadOptionsFilter } from '../ui/forms/optionsFilter.ts'

/** Loads what features add to screens of others, which is needed before any screen with slots is shown. */
export async function loadSlots(): Promise<void> {
  const [{ fillSlots }] = await Promise.all([import('./slots.ts'), loadOptionsFilter()])
  fillSlots()
}

/** Resolves when the browser has nothing else to do, after 5 s in any case. */
export function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 5000 })
    else setTimeout(resolve, 1000)
  })
}

/** Loads what nearly every screen needs, while the user looks at the first one. */
export async function loadAhead(): Promise<void> {
  await whenIdle()
  // Without a network, the screen that needs them reports it.
  await Promise.all([loadSlots(), import('../ui/list/ListPage.tsx')]).catch(() => undefined)
}
