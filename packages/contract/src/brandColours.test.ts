import { expect, test } from 'vitest'
import { highlightContrast } from './brandColours.ts'

test.each([
  ['#000', 'light', 21, 'good'],
  ['#ffffff', 'light', 1, 'unreadable'],
  ['#0b7285', 'light', 5.6, 'good'],
  ['#ffcc00', 'light', 1.5, 'weak'],
  ['#FFFFAA', 'light', 1, 'unreadable'],
  ['#ffcc00', 'dark', 12.4, 'good'],
  ['#101315', 'dark', 1, 'unreadable'],
  ['#7a0000', 'dark', 1.6, 'weak'],
] as const)('%s on the page of the %s mode has a contrast of about %s: %s', (hex, mode, ratio, verdict) => {
  const found = highlightContrast(hex, mode)
  expect(found?.verdict).toBe(verdict)
  expect(found?.ratio).toBeCloseTo(ratio, 0)
})

test.each(['red', '', '#12', '#12345', '#gggggg', 'url(#a)'])('%s is no colour', (hex) => {
  expect(highlightContrast(hex, 'light')).toBeUndefined()
})
