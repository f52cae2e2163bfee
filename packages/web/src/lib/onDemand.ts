import { type ComponentType, type LazyExoticComponent, lazy } from 'react'

/** Time between two questions whether the server can be reached. */
const askMs = 3_000

/** Whether the server answers. */
export async function isReachable(): Promise<boolean> {
  if (!navigator.onLine) return false
  try {
    const { ok } = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(askMs) })
    return ok
  } catch {
    // Why the server did not answer makes no difference.
    return false
  }
}

/** Resolves after some seconds, or as soon as the browser is online again. */
function whileAway(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      resolve()
    }
    const timer = setTimeout(done, askMs)
    addEventListener('online', done)
  })
}

/**
 * Loads code. Without a network it waits for it, so that what was entered on the screen is not replaced by an error.
 * @throws what `load` throws although the server answers: it may have another version by now
 */
export async function loadCode<T>(
  load: () => Promise<T>,
  { reachable = isReachable, wait = whileAway } = {},
): Promise<T> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (await reachable()) throw error
      await wait()
    }
  }
}

/** A component whose code is loaded when it is first shown. */
export function onDemand<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(() => loadCode(load))
}
