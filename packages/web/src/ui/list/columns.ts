import { useMemo } from 'react'
import { saveProperties, useSession } from '../../lib/session.ts'
import { notifyError } from '../feedback/notify.ts'
import { shownColumns, toggledColumns, withChoice } from './shownColumns.ts'
import type { ListColumn } from './types.ts'

/**
 * The visible columns of a list. The choice is stored with the user (`properties.columns.<list>`), so it
 * follows them to other browsers. The first column is always shown: it has the link.
 */
export function useColumnChoice<Row>(name: string, all: readonly ListColumn<Row>[]) {
  const session = useSession()
  const chosen = session.status === 'user' ? session.user.properties.columns?.[name] : undefined
  const shown = useMemo(() => shownColumns(all, chosen), [all, chosen])
  return {
    all,
    shown,
    toggle: (key: string) => save(name, toggledColumns(all, shown, key)),
    reset: () => save(name, undefined),
  }
}

/**
 * Applies the choice at once and stores it; if storing fails, the error is shown and the choice lasts for
 * this page.
 */
function save(name: string, keys: string[] | undefined): void {
  saveProperties((properties) => ({
    ...properties,
    columns: withChoice(properties.columns, name, keys),
  })).catch((error: unknown) => notifyError(error))
}
