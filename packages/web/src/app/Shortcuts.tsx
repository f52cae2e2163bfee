import { useHotkeys } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { openPalette } from './paletteState.ts'
import { notStarted, pressed } from './shortcutKeys.ts'
import { openShortcutHelp } from './shortcutState.ts'

/** Listens for the keyboard shortcuts of the console; ignores keys typed into fields. */
export function Shortcuts() {
  const navigate = useNavigate()
  const started = useRef(notStarted)

  useHotkeys([['mod+K', openPalette]], [])

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target))
        return
      const { act, startedAtMs } = pressed(event.key, event.timeStamp, started.current)
      started.current = startedAtMs
      if (!act) return
      event.preventDefault()
      if (act === 'help') openShortcutHelp()
      else if (act === 'search') focusSearch()
      else void navigate({ to: act.to })
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
