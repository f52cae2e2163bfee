import { useEffect, useRef } from 'react'
import type { Range } from '../../../lib/range.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'

/** The parts of the address that belong to the dialog. */
const parts = ['values', 'range', 'from', 'to', 'show'] as const
const none = Object.fromEntries(parts.map((part) => [part, undefined]))

/** The state whose history is open, `?values=12`: Back closes it, and a link shows it. */
export function useHistoryAddress<S extends { id: number }>(states: readonly S[] | undefined) {
  const [search, update] = useUrlSearch()
  const wanted = one(search, 'values')
  const shown = states?.find(({ id }) => String(id) === wanted)
  useFocusBack(shown?.id)
  return {
    shown,
    open: (id: number) => update({ values: String(id) }, { push: true }),
    close: () => update(none),
  }
}

/** Marks what opens the history of a state, so that the focus returns there. */
export const opensHistory = (id: number) => ({ 'data-history': id })

/** The menu entry that opened the dialog is gone, and after a reload nothing did. */
function useFocusBack(id: number | undefined): void {
  const last = useRef<number | undefined>(undefined)
  useEffect(() => {
    const closed = id === undefined ? last.current : undefined
    last.current = id
    if (closed === undefined) return
    const timer = setTimeout(() => {
      const { activeElement } = document
      if (activeElement !== null && activeElement !== document.body) return
      const openers = document.querySelectorAll<HTMLElement>(`[data-history="${closed}"]`)
      for (const opener of openers) if (opener.offsetParent !== null) return opener.focus()
    }, modalClosesMs)
    return () => clearTimeout(timer)
  }, [id])
}

/** Mantine gives the focus back when its transition has ended. */
const modalClosesMs = 250

export function rangeInAddress(range: Range): Record<string, string | undefined> {
  if ('preset' in range) return { range: range.preset, from: undefined, to: undefined }
  const iso = (ms: number) => new Date(ms).toISOString()
  return { range: undefined, from: iso(range.fromMs), to: iso(range.toMs) }
}
