import { useCallback, useEffect, useRef, useState } from 'react'
import { changedPaths, type Faults, type Refused, refusedAt, shownFaults } from './fieldFaults.ts'
import { placeError } from './placeError.ts'

const none: ReadonlySet<string> = new Set()

/**
 * Checks a form while somebody types, for every kind of form (`useCheckedForm` and `useDialogForm` contain
 * it). A fault is shown once its field was left or a save was tried, then follows each letter.
 * @param getValues the values of this moment, not those of the last render
 * @param check texts of faults by field, in the user's language: `check(Schema)` of lib/validation.ts
 */
export function useFieldFaults<Values extends object>(
  getValues: () => Values,
  check: (values: Values) => Faults,
) {
  const [start, setStart] = useState(getValues)
  const [tried, setTried] = useState(false)
  const [left, setLeft] = useState(none)
  const [refused, setRefused] = useState<Refused>({})
  const found = check(getValues())
  const faults = shownFaults(found, refused, getValues(), { tried, left })

  const show = useCallback((path: string) => {
    setLeft((before) => (before.has(path) ? before : new Set([...before, path])))
  }, [])

  // Fields count as left once they have changed and the focus moves. One that is empty and was never filled in says
  // nothing: its message would move the button that is just being pressed.
  const now = useRef({ found, left, start, getValues })
  useEffect(() => {
    now.current = { found, left, start, getValues }
  })
  useEffect(() => {
    const look = () => {
      const { found: all, left: known, start: before, getValues: read } = now.current
      const waiting = Object.keys(all).filter((path) => !known.has(path))
      const begun = changedPaths(waiting, read(), before)
      if (begun.length > 0) setLeft((paths) => new Set([...paths, ...begun]))
    }
    document.addEventListener('focusout', look)
    return () => document.removeEventListener('focusout', look)
  }, [])

  const restart = useCallback((values: Values) => {
    setStart(values)
    setTried(false)
    setLeft(none)
    setRefused({})
  }, [])
  const refuse = useCallback(
    (texts: Faults) => setRefused((before) => ({ ...before, ...refusedAt(texts, now.current.getValues()) })),
    [],
  )
  return {
    /** to be shown now, by field */
    faults,
    /** Shows the fault of a field from now on. */
    show,
    /** A save is tried. @returns all faults */
    attempt: (): Faults => {
      setTried(true)
      setRefused({})
      return check(getValues())
    },
    /** Shows texts at fields until these are changed. */
    refuse,
    /** Shows what the server refused at its fields. @returns whether any of it has no field here */
    place: (error: unknown): boolean => {
      const { placed, isLeft } = placeError(error, getValues())
      refuse(placed)
      return isLeft
    },
    /** The values are stored or were replaced: nothing has been entered yet. */
    restart,
  }
}
