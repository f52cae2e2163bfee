import { useRef } from 'react'

/** React keys for rows that have no id of their own: a row keeps its key while others are removed. */
export function useRowIds(count: number): { at: (index: number) => number; remove: (index: number) => void } {
  const ids = useRef<number[]>([])
  while (ids.current.length < count) ids.current.push((ids.current.at(-1) ?? 0) + 1)
  return {
    at: (index) => ids.current[index] ?? index,
    remove: (index) => void ids.current.splice(index, 1),
  }
}
