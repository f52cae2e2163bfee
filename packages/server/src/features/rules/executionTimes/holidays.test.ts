import { describe, expect, it } from 'vitest'
import { holidayCalendars, isHoliday, isKnownCalendar } from './holidays.ts'

describe('holidays', () => {
  it.each([
    ['DE', undefined, '2026-10-03', true],
    ['DE', undefined, '2026-10-04', false],
    ['DE', undefined, '2026-01-06', false],
    ['DE', 'BY', '2026-01-06', true],
    ['DE', 'BE', '2026-01-06', false],
    ['DE', 'SN', '2026-11-18', true],
    ['AT', undefined, '2026-10-26', true],
    ['DE', undefined, '2027-03-29', true],
    // No public holiday, although many do not work.
    ['DE', undefined, '2026-12-24', false],
  ])('%s %s %s: %j', (country, region, day, expected) => {
    expect(isHoliday({ country, region }, day)).toBe(expected)
  })

  it('are known of countries and of regions', () => {
    const germany = holidayCalendars().find(({ country }) => country === 'DE')
    expect(germany?.regions).toContainEqual({ region: 'BY', name: expect.any(String) })
    expect(germany?.regions).toHaveLength(16)
    expect(isKnownCalendar({ country: 'DE', region: undefined })).toBe(true)
    expect(isKnownCalendar({ country: 'DE', region: 'BY' })).toBe(true)
    expect(isKnownCalendar({ country: 'DE', region: 'XX' })).toBe(false)
    expect(isKnownCalendar({ country: 'QQ', region: undefined })).toBe(false)
  })
})
