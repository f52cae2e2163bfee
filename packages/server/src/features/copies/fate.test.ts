import { expect, test } from 'vitest'
import { fateOf } from './fate.ts'

test.each([
  [false, false, false, 'linked'],
  [false, false, true, 'linked'],
  [false, true, false, 'hidden'],
  [false, true, true, 'hidden'],
  [true, false, false, 'unbound'],
  [true, false, true, 'linked'],
  [true, true, false, 'unbound'],
  [true, true, true, 'hidden'],
] as const)('device below %s, hidden %s, bindings kept %s: %s', (onDeviceBelow, onHidden, bindings, fate) => {
  expect(fateOf({ onDeviceBelow, onHidden }, { bindings })).toBe(fate)
})
