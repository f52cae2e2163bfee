import { describe, expect, test } from 'vitest'
import { detectLanguage, formatCount, isLanguage, startsWithFirst } from './i18n.ts'

describe('the first language', () => {
  test.each([
    ['the address says so', '?lang=en', 'de', ['de-DE'], 'en'],
    ['the address says it among others', '?tab=a&lang=en&x=1', null, [], 'en'],
    ['an unknown language of the address is ignored', '?lang=fr', 'en', ['de'], 'en'],
    ['the stored choice comes before the browser', '', 'en', ['de-DE'], 'en'],
    ['a stored choice of another version is ignored', '', 'nl', ['en-US'], 'en'],
    ['the first language of the browser that we speak', '', null, ['fr-CH', 'en-GB', 'de'], 'en'],
    ['Austria and Switzerland read German', '', null, ['de-AT'], 'de'],
    ['capitals do not matter', '', null, ['EN'], 'en'],
    ['German where we speak none of them', '', null, ['fr', 'it'], 'de'],
    ['German where the browser names none', '', null, [], 'de'],
    ['an empty choice is none', '?lang=', '', [], 'de'],
  ])('%s', (_name, search, stored, browser, language) => {
    expect(detectLanguage(search, stored, browser)).toBe(language)
  })

  test.each([
    ['de', true],
    ['en', true],
    ['EN', false],
    ['', false],
    [null, false],
    [{}, false],
  ])('%j is a language: %s', (value, known) => {
    expect(isLanguage(value)).toBe(known)
  })
})

test.each([
  ['', true],
  ['#/', true],
  ['#/home', true],
  ['#/home?lang=en', true],
  ['#/login?redirect=%2Fvirtual-devices', true],
  ['#/homes', false],
  ['#/home/x', false],
  ['#/virtual-devices/7?tab=home', false],
])('%j starts with the first texts: %s', (hash, first) => {
  expect(startsWithFirst(hash)).toBe(first)
})

test('numbers in texts follow the language', () => {
  expect(formatCount(1234567, 'de')).toBe('1.234.567')
  expect(formatCount(1234567, 'en')).toBe('1,234,567')
  expect(formatCount(12.5, 'de')).toBe('12,5')
  expect(formatCount(0, 'de')).toBe('0')
})
