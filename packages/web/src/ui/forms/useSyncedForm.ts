import type { UseFormReturnType } from '@mantine/form'
import { useCallback, useEffect, useState } from 'react'

/**
 * Keeps a form in sync with its object: while the form is unchanged, a newer version from the server replaces
 * the values; user input is never overwritten.
 * @returns `version` the values were read with (send it when saving), and `accept` for the server's reply to
 * a save
 */
export function useSyncedForm<Values extends Record<string, unknown>, Thing extends { version: number }>(
  form: UseFormReturnType<Values>,
  thing: Thing,
  toValues: (thing: Thing) => Values,
): { version: number; accept: (next: Thing) => void } {
  const [version, setVersion] = useState(thing.version)
  const { setInitialValues, setValues, resetDirty } = form
  const accept = useCallback(
    (next: Thing) => {
      const values = toValues(next)
      setInitialValues(values)
      setValues(values)
      resetDirty(values)
      setVersion(next.version)
    },
    [setInitialValues, setValues, resetDirty, toValues],
  )
  const dirty = form.isDirty()
  useEffect(() => {
    if (thing.version !== version && !dirty) accept(thing)
  }, [thing, version, dirty, accept])
  return { version, accept }
}
