import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { endDetour, keepForDetour, keptFromDetour } from './detour.ts'

beforeEach(() => {
  const stored = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
})
afterEach(() => vi.unstubAllGlobals())

describe('what was entered before a detour', () => {
  it('is there on the way back', () => {
    keepForDetour('device', 7, { title: 'Presse 8' })
    expect(keptFromDetour('device', 7, '1')).toEqual({ title: 'Presse 8' })
    expect(keptFromDetour('import', 7, '1')).toBeUndefined()
  })

  it('is not there in a form that is opened anew', () => {
    keepForDetour('device', 7, { title: 'Presse 8' })
    expect(keptFromDetour('device', 7, undefined)).toBeUndefined()
  })

  it('is not there for somebody else who signs in afterwards', () => {
    keepForDetour('device', 7, { title: 'Presse 8' })
    expect(keptFromDetour('device', 8, '1')).toBeUndefined()
  })

  it('is gone once the form is finished', () => {
    keepForDetour('device', 7, { title: 'Presse 8' })
    endDetour('device')
    expect(keptFromDetour('device', 7, '1')).toBeUndefined()
  })

  it.each(['{', '"text"', '7', 'null'])('is nothing if %s is stored', (text) => {
    sessionStorage.setItem('detour.device', text)
    expect(keptFromDetour('device', 7, '1')).toBeUndefined()
  })
})
