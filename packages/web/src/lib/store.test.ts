import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createStore, createStoredStore } from './store.ts'

describe('a store', () => {
  test('tells its listeners of real changes only', () => {
    const store = createStore(1)
    const heard: number[] = []
    const { unsubscribe } = store.subscribe(() => heard.push(store.get()))
    store.set(1)
    store.set((value) => value)
    store.set(2)
    store.set((value) => value + 1)
    unsubscribe()
    store.set(9)
    expect(heard).toEqual([2, 3])
    expect(store.get()).toBe(9)
  })

  test('knows that not a number is the same as before, and that an equal copy is another value', () => {
    const heard: string[] = []
    const number = createStore(Number.NaN)
    number.subscribe(() => heard.push('number'))
    number.set(Number.NaN)
    const list = createStore<readonly number[]>([1])
    list.subscribe(() => heard.push('list'))
    list.set([1])
    expect(heard).toEqual(['list'])
  })

  test('calls each listener once, also when one leaves while it is called', () => {
    const store = createStore(0)
    const heard: string[] = []
    const { unsubscribe } = store.subscribe(() => {
      heard.push('first')
      unsubscribe()
    })
    store.subscribe(() => heard.push('second'))
    store.set(1)
    store.set(2)
    expect(heard).toEqual(['first', 'second', 'second'])
  })
})

describe('a store of the browser', () => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  beforeEach(() => {
    kept.clear()
    vi.stubGlobal('localStorage', storage)
  })
  afterEach(() => void vi.unstubAllGlobals())

  const asNumber = (stored: unknown) => (typeof stored === 'number' ? stored : undefined)

  test('keeps its value for the next page', () => {
    createStoredStore('size', 20, asNumber).set(50)
    expect(kept.get('leitstand.size')).toBe('50')
    expect(createStoredStore('size', 20, asNumber).get()).toBe(50)
  })

  test.each(['no JSON', '"text"', '', 'null'])('starts afresh where %j was stored', (text) => {
    kept.set('leitstand.size', text)
    expect(createStoredStore('size', 20, asNumber).get()).toBe(20)
  })

  test('works for the page where nothing can be stored', () => {
    const refuse = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse })
    const store = createStoredStore('size', 20, asNumber)
    expect(store.get()).toBe(20)
    store.set(50)
    expect(store.get()).toBe(50)
  })
})
