/**
 * Lets the page that reports without a network open from now on (`public/worker.js`). Where a browser has no service
 * workers, or forbids them, a report can only be written while the console is open.
 */
export async function openOffline(): Promise<void> {
  if (!('serviceWorker' in navigator) || !window.isSecureContext) return
  try {
    await navigator.serviceWorker.register('/worker.js')
  } catch (error) {
    // Such as in a private window. The page works as before, so that its user is not told.
    console.info('no service worker', error)
  }
}
