import { describe, expect, test } from 'vitest'
import { fullAt, growthPerDay } from './growth.ts'

const at = (time: string) => new Date(`2026-06-${time}Z`)

describe('growth', () => {
  test('is what was added in a day, on average', () => {
    const before = { measuredAt: at('01T00:00'), bytes: 1_000 }
    expect(growthPerDay(before, { measuredAt: at('03T00:00'), bytes: 1_500 })).toBe(250)
    expect(growthPerDay(before, { measuredAt: at('02T12:00'), bytes: 700 })).toBe(-200)
  })
})

describe('the disk is full', () => {
  test('when the growth of a day has used what is free', () => {
    expect(fullAt(at('01T00:00'), 5_000, 1_000)).toEqual(at('06T00:00'))
    expect(fullAt(at('01T00:00'), 500, 1_000)).toEqual(at('01T12:00'))
    expect(fullAt(at('01T00:00'), 0, 1_000)).toEqual(at('01T00:00'))
  })

  test('never, as far as is known, when nothing grows or the growth is not known', () => {
    for (const growth of [null, 0, -1_000]) expect(fullAt(at('01T00:00'), 5_000, growth)).toBeNull()
  })

  test('at a time that a calendar has', () => {
    expect(fullAt(at('01T00:00'), 36_500, 1)).toEqual(new Date('2126-05-08T00:00:00Z'))
    expect(fullAt(at('01T00:00'), 36_501, 1)).toBeNull()
  })
})
