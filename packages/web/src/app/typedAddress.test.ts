import { afterEach, describe, expect, it, vi } from 'vitest'
import { placeTypedAddresses } from './typedAddress.ts'

/** A window whose history has the entries' states, and the router's history at position 3. */
function page() {
  const target = new EventTarget()
  const history = { state: null as unknown }
  class History {
    replaceState(this: { state: unknown }, state: unknown) {
      this.state = state
    }
  }
  vi.stubGlobal('History', History)
  const location = { state: { __TSR_index: 3 } }
  const settled = placeTypedAddresses(
    Object.assign(target, { history }) as never,
    () => ({ location }) as never,
  )
  const open = (state: unknown) => {
    history.state = state
    target.dispatchEvent(new Event('popstate'))
    return (history.state as { __TSR_index: number }).__TSR_index
  }
  return {
    open,
    settle: (index: number) => {
      location.state.__TSR_index = index
      settled()
    },
  }
}

afterEach(() => vi.unstubAllGlobals())

describe('an address typed by hand', () => {
  it('comes after the entry it was typed at', () => {
    expect(page().open(null)).toBe(4)
  })

  it('comes after another one while a question about leaving is open', () => {
    const { open, settle } = page()
    expect([open(null), open(null)]).toEqual([4, 5])
    settle(3)
    expect(open(null)).toBe(4)
  })

  it('leaves the entries of the router as they are', () => {
    const { open } = page()
    expect(open({ __TSR_index: 2, key: 'k' })).toBe(2)
    expect(open(null)).toBe(3)
  })
})
