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
