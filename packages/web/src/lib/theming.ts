import { isMantineColorScheme, type MantineColorSchemeManager } from '@mantine/core'

const key = 'leitstand.colorScheme'

/** Stores light, dark or auto as plain text, which `public/boot.js` reads before the first paint. */
export function colorSchemeManager(): MantineColorSchemeManager {
  let onStorage: ((event: StorageEvent) => void) | undefined
  return {
    get(defaultValue) {
      try {
        const stored = localStorage.getItem(key)
        return stored !== null && isMantineColorScheme(stored) ? stored : defaultValue
      } catch {
        return defaultValue
      }
    },
    set(value) {
      try {
        localStorage.setItem(key, value)
      } catch {
        // Storage is unavailable: the choice lasts for this page.
      }
    },
    subscribe(onUpdate) {
      onStorage = (event) => {
        if (event.key === key && event.newValue !== null && isMantineColorScheme(event.newValue))
          onUpdate(event.newValue)
      }
      window.addEventListener('storage', onStorage)
    },
    unsubscribe() {
      if (onStorage) window.removeEventListener('storage', onStorage)
    },
    clear() {
      localStorage.removeItem(key)
    },
  }
}
