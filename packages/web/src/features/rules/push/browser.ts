/** Whether this browser can show messages: it can, it cannot, or its user has forbidden them. */
export function pushSupport(): 'possible' | 'impossible' | 'forbidden' {
  const has = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
  if (!has || !window.isSecureContext) return 'impossible'
  return Notification.permission === 'denied' ? 'forbidden' : 'possible'
}

const script = '/worker.js'

/** The subscription of this browser; null: none. */
export async function ownSubscription(): Promise<PushSubscription | null> {
  const worker = await navigator.serviceWorker.getRegistration(script)
  return (await worker?.pushManager.getSubscription()) ?? null
}

/**
 * Subscribes this browser, after asking its user.
 * @param publicKey of the installation; a subscription for another one is replaced
 * @returns null: the user did not allow it
 */
export async function subscribeBrowser(publicKey: string): Promise<PushSubscription | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  const worker = await navigator.serviceWorker.register(script)
  await navigator.serviceWorker.ready
  await (await worker.pushManager.getSubscription())?.unsubscribe()
  return worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
}

/** As the server names subscriptions: SHA-256 of the address, base64url. */
export async function hashOf(endpoint: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint))
  const text = btoa(String.fromCharCode(...new Uint8Array(digest)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** What a browser calls itself: "Firefox on Linux". */
export function browserName(agent: string): string {
  const browsers = [
    ['Edg/', 'Edge'],
    ['OPR/', 'Opera'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ] as const
  const systems = [
    ['Android', 'Android'],
    ['iPhone', 'iPhone'],
    ['iPad', 'iPad'],
    ['Windows', 'Windows'],
    ['Mac OS', 'macOS'],
    ['Linux', 'Linux'],
  ] as const
  const nameIn = (list: readonly (readonly [string, string])[]) =>
    list.find(([sign]) => agent.includes(sign))?.[1]
  return [nameIn(browsers) ?? 'Browser', nameIn(systems)].filter(Boolean).join(', ')
}
