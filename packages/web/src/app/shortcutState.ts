import { createStore } from '../lib/store.ts'

/** Second keys after `g` and where they lead. */
export const sequences: readonly { key: string; to: string; label: string }[] = [
  { key: 'h', to: '/home', label: 'screens.home.title' },
  { key: 'd', to: '/dashboards', label: 'screens.dashboards.title' },
  { key: 't', to: '/digitaltwin-mgmt', label: 'screens.twins.title' },
  { key: 'v', to: '/virtual-devices', label: 'screens.devices.title' },
]

/** Whether the list of shortcuts is shown. */
export const shortcutHelpStore = createStore(false)

/** Shows the list of shortcuts. */
export function openShortcutHelp(): void {
  shortcutHelpStore.set(true)
}
