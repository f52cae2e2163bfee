import { describe, expect, test } from 'vitest'
import '../../../../test/browser.ts'
import { growthText, percentOf } from './values.ts'

describe('growth', () => {
  test('has its sign', () => {
    expect(growthText(1_572_864)).toBe('+\u202f1,5\u202fMB')
    expect(growthText(-2_048)).toBe('−\u202f2\u202fKB')
  })
})

describe('a share', () => {
  test.each([
    [25, 100, 25],
    [0, 100, 0],
    [5, 0, 0],
    // What was measured first may have shrunk until the whole was.
    [120, 100, 100],
  ])('%d of %d is %d percent', (part, whole, percent) => {
    expect(percentOf(part, whole)).toBe(percent)
  })
})
