import { saveProperties, useSession } from '../../lib/session.ts'
import { notifyError } from '../feedback/notify.ts'
import type { ListColumn } from './types.ts'

/**
 * The visible columns of a list. The choice is stored with the user (`properties.columns.<list>`), so it
 * follows them to other browsers. The first column is always shown: it has the link.
 */
export function useColumnChoice<Row>(name: string, all: readonly ListColumn<Row>[]) {
  const session = useSession()
  const chosen = session.status === 'user' ? session.user.properties.columns?.[name] : undefined
  const keys = chosen ?? all.filter((column) => !column.optional).map((column) => column.key)
  const shown = all.filter((column, index) => index === 0 || keys.includes(column.key))
  return {
    all,
    shown,
    toggle: (key: string) => {
      const next = shown.some((column) => column.key === key)
        ? shown.filter((column) => column.key !== key)
        : all.filter((column) => column.key === key || shown.includes(column))
      save(
        name,
        next.map((column) => column.key),
      )
    },
    reset: () => save(name, undefined),
  }
}

/**
 * Applies the choice at once and stores it; if storing fails, the error is shown and the choice lasts for
 * this page.
 */
function save(name: string, keys: string[] | undefined): void {
  saveProperties((properties) => {
    const { [name]: _old, ...others } = properties.columns ?? {}
    return { ...properties, columns: keys ? { ...others, [name]: keys } : others }
  }).catch((error: unknown) => notifyError(error))
}
