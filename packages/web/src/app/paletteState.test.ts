import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { closePalette, openPalette, paletteStore, stopKeeping } from './paletteState.ts'

vi.stubGlobal('window', new EventTarget())
// The files of a worker share their globals.
afterAll(() => void vi.unstubAllGlobals())
beforeEach(closePalette)

function press(key: string, change: object = {}): boolean {
  const event = Object.assign(new Event('keydown', { cancelable: true }), { key, ...change })
  window.dispatchEvent(event)
  return event.defaultPrevented
}

test('letters typed before the palette has its field are kept', () => {
  expect(press('x')).toBe(false)
  openPalette()
  for (const key of ['B', 'ü', 'r', 'x', 'Backspace', 'o', ' ', '1']) expect(press(key)).toBe(true)
  expect(paletteStore.get()).toEqual({ opened: true, query: 'Büro 1', entered: false })
  stopKeeping()
  expect(press('y')).toBe(false)
  expect(paletteStore.get().query).toBe('Büro 1')
})

test('Enter is kept until something else is typed', () => {
  openPalette()
  press('a')
  press('Enter')
  expect(paletteStore.get().entered).toBe(true)
  press('b')
  expect(paletteStore.get()).toEqual({ opened: true, query: 'ab', entered: false })
})

test('shortcuts and other keys are left alone', () => {
  openPalette()
  expect(press('k', { ctrlKey: true })).toBe(false)
  expect(press('a', { metaKey: true })).toBe(false)
  expect(press('Tab')).toBe(false)
  expect(paletteStore.get().query).toBe('')
})

test('Escape closes it, opening again starts empty', () => {
  openPalette()
  press('a')
  press('Escape')
  expect(paletteStore.get().opened).toBe(false)
  expect(press('b')).toBe(false)
  openPalette()
  expect(paletteStore.get()).toEqual({ opened: true, query: '', entered: false })
})

test('opening it twice keeps what was typed', () => {
  openPalette()
  press('a')
  openPalette()
  expect(paletteStore.get().query).toBe('a')
})
