import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { openPalette } from './paletteState.ts'
import { openShortcutHelp, sequences } from './shortcutState.ts'

/** Time between the two keys of a sequence like `g d`. */
const sequenceMs = 1200

/** Listens for the keyboard shortcuts of the console; ignores keys typed into fields. */
export function Shortcuts() {
  const navigate = useNavigate()
  const startedAt = useRef(0)

  useHotkeys([['mod+K', openPalette]], [])

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
        return
      if (event.key === '?') {
        event.preventDefault()
        openShortcutHelp()
        return
      }
      if (event.key === '/') {
        event.preventDefault()
        focusSearch()
        return
      }
      if (event.key === 'g') {
        startedAt.current = event.timeStamp
        return
      }
      const sequence = sequences.find(({ key }) => key === event.key)
      if (sequence && event.timeStamp - startedAt.current < sequenceMs) {
        event.preventDefault()
        void navigate({ to: sequence.to })
      }
      startedAt.current = 0
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [navigate])

  return null
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/** `/` focuses the list's own search if there is one, else opens the palette. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('[data-list-search]')
  if (field) field.focus()
  else openPalette()
}
