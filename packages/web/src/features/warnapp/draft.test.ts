import { expect, it } from 'vitest'
import { faultOf, firstLimits } from './draft.ts'

it('says what is wrong with limits', () => {
  const none = firstLimits('number')
  expect(faultOf(none)).toBe('none')
  expect(faultOf({ ...none, okayFrom: 5, badFrom: 4 } as never)).toBe('order')
  expect(faultOf({ ...none, badFrom: 4 } as never)).toBeUndefined()
  expect(faultOf(firstLimits('text'))).toBe('none')
  expect(faultOf(firstLimits('boolean'))).toBeUndefined()
  expect(faultOf({ kind: 'values', bad: ['on'], okay: ['ON'] })).toBe('twice')
})
