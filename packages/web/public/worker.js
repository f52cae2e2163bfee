// Without a network, opens the page on which reports are kept (packages/web/offline.html) in place of the console.
const cacheName = 'leitstand-offline'
const page = '/offline.html'
/** Files of the page; they are apart from those of the console, which never come from here. */
const folder = '/offline/'
/** A console that has not begun to arrive by then is of no use to a person at a broken door. */
const patienceMs = 12_000

/** Keeps the page with all its files. An older one is removed when the new one is complete. */
async function keepPage() {
  const answer = await fetch(page, { cache: 'no-cache' })
  if (!answer.ok) throw new Error(`${page} answers ${answer.status}`)
  const html = await answer.clone().text()
  const files = [...html.matchAll(/(?:src|href)="(\/offline\/[^"]+)"/g)].map(([, file]) => file)
  const cache = await caches.open(cacheName)
  await Promise.all(files.map(async (file) => (await cache.match(file)) ?? cache.add(file)))
  await cache.put(page, answer)
  const kept = new Set([page, ...files])
  for (const request of await cache.keys())
    if (!kept.has(new URL(request.url).pathname)) await cache.delete(request)
}

/** The console; the page that is kept here where there is no network. */
async function open({ request, preloadResponse }) {
  const slow = new Promise((_, reject) => setTimeout(() => reject(new Error('too slow')), patienceMs))
  try {
    return await Promise.race([preloadResponse.then((answer) => answer ?? fetch(request)), slow])
  } catch (error) {
    const kept = await caches.match(page)
    if (kept === undefined) throw error
    return kept
  }
}

self.addEventListener('install', (event) => {
  self.skipWaiting()
  // Whatever else a page asks for does not wait for this worker to start.
  event.addRoutes?.({
    condition: {
      not: { or: [{ requestMode: 'navigate' }, { urlPattern: new URLPattern({ pathname: `${folder}*` }) }] },
    },
    source: 'network',
  })
  event.waitUntil(keepPage())
})

self.addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([self.clients.claim(), self.registration.navigationPreload?.enable()]))
})

let isFresh = false
self.addEventListener('fetch', (event) => {
  const { pathname, origin } = new URL(event.request.url)
  if (origin !== self.location.origin) return
  if (pathname.startsWith(folder))
    event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)))
  if (event.request.mode !== 'navigate' || pathname !== '/') return
  const opened = open(event)
  event.respondWith(opened)
  if (isFresh) return
  isFresh = true
  event.waitUntil(
    opened.then(keepPage).catch(() => {
      // No network: the page that is kept stays, and the next visit tries again.
      isFresh = false
    }),
  )
})

// Shows messages of rules even when no page is open, and opens their rule or alarm.
self.addEventListener('push', (event) => {
  const { title = self.location.hostname, body = '', url = '/', tag } = event.data?.json() ?? {}
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon: '/icon.svg', data: { url } }))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const target = new URL(event.notification.data?.url ?? '/', self.location.origin)
  // The message comes from our server, but opens only pages of the console in any case.
  if (target.origin !== self.location.origin) return
  event.waitUntil(
    self.clients.matchAll({ type: 'window', includeUncontrolled: true }).then(async (pages) => {
      const page = pages.find((each) => 'navigate' in each && each.url.startsWith(self.location.origin))
      if (!page) return self.clients.openWindow(target.href)
      await page.focus()
      return page.navigate(target.href).catch(() => self.clients.openWindow(target.href))
    }),
  )
})
