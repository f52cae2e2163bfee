import { afterEach, describe, expect, test, vi } from 'vitest'
import { openBrowser } from '../../test/browser.ts'
import { colorSchemeManager } from './theming.ts'

const browser = openBrowser()
const key = 'leitstand.colorScheme'
const stored = (newValue: string | null, changed = key) =>
  browser.window.dispatchEvent(Object.assign(new Event('storage'), { key: changed, newValue }))

describe('light and dark', () => {
  test.each(['light', 'dark', 'auto'] as const)('%s is stored as plain text for the next page', (value) => {
    colorSchemeManager().set(value)
    expect(browser.local.getItem(key)).toBe(value)
    expect(colorSchemeManager().get('light')).toBe(value)
  })

  test.each(['"dark"', 'blue', ''])('%j of another version counts as none', (text) => {
    browser.local.setItem(key, text)
    expect(colorSchemeManager().get('auto')).toBe('auto')
  })

  test('works for the page where nothing can be stored', () => {
    browser.local.isBlocked = true
    const manager = colorSchemeManager()
    expect(() => manager.set('dark')).not.toThrow()
    expect(manager.get('light')).toBe('light')
  })

  test('is forgotten on demand', () => {
    const manager = colorSchemeManager()
    manager.set('dark')
    manager.clear()
    expect(manager.get('auto')).toBe('auto')
  })
})

describe('a choice in another tab', () => {
  const manager = colorSchemeManager()
  afterEach(() => manager.unsubscribe())

  test('is taken over if it is one', () => {
    const heard = vi.fn()
    manager.subscribe(heard)
    stored('dark')
    stored('blue')
    stored(null)
    stored('light', 'leitstand.language')
    expect(heard.mock.calls).toEqual([['dark']])
  })

  test('is no longer heard after leaving', () => {
    const heard = vi.fn()
    manager.subscribe(heard)
    manager.unsubscribe()
    stored('dark')
    expect(heard).not.toHaveBeenCalled()
  })
})
