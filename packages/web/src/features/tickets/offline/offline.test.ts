import { beforeEach, describe, expect, it, test } from 'vitest'
import { openBrowser } from '../../../../test/browser.ts'
import de from '../../../locales/de.json' with { type: 'json' }
import { rememberedReporter, rememberPlace, rememberReporter } from '../kept/reporter.ts'
import { addressOf } from './address.ts'
import { languageOf, textsOf } from './texts.ts'

const browser = openBrowser()
const token = 'a token of many letters'
const other = 'another token that is as long'

describe('who reports from this device', () => {
  beforeEach(() => {
    browser.local.isBlocked = false
    browser.local.clear()
  })

  it('is who is signed in, with the places of before', () => {
    browser.local.setItem('leitstand.token', token)
    rememberReporter(7, token)
    rememberPlace(1, 'Cellar')
    rememberPlace(2, 'Attic')
    rememberPlace(1, 'Cellar of the school')
    expect(rememberedReporter()).toMatchObject({
      userId: 7,
      places: [
        [2, 'Attic'],
        [1, 'Cellar of the school'],
      ],
    })
    browser.local.setItem('leitstand.token', other)
    rememberReporter(7, other)
    expect(rememberedReporter()?.places).toHaveLength(2)
  })
  it('is nobody after the end of the session, and not who signs in next', () => {
    browser.local.setItem('leitstand.token', token)
    rememberReporter(7, token)
    rememberPlace(1, 'Cellar')
    browser.local.removeItem('leitstand.token')
    expect(rememberedReporter()).toBeNull()
    rememberPlace(2, 'Attic')
    browser.local.setItem('leitstand.token', other)
    expect(rememberedReporter()).toBeNull()
    rememberReporter(8, other)
    expect(rememberedReporter()).toMatchObject({ userId: 8, places: [] })
  })
  it('has a bounded number of places', () => {
    browser.local.setItem('leitstand.token', token)
    rememberReporter(7, token)
    for (let twin = 1; twin <= 60; twin++) rememberPlace(twin, `Room ${twin}`)
    const places = rememberedReporter()?.places ?? []
    expect([places.length, places[0]]).toEqual([50, [11, 'Room 11']])
  })
  it.each(['', 'no JSON', 'null', '7', '{"userId":7}', '{"userId":7,"places":"all"}'])(
    'is unknown where %j is stored',
    (text) => {
      browser.local.setItem('leitstand.token', token)
      browser.local.setItem('leitstand.reporter', text)
      expect(rememberedReporter()).toBeNull()
    },
  )
  it('is unknown where the browser stores nothing', () => {
    browser.local.isBlocked = true
    rememberReporter(7, token)
    expect(rememberedReporter()).toBeNull()
  })
})

test.each([
  ['#/fm-add-ticket?twin=7', true, 7],
  ['#/fm-add-ticket?a=1&twin=70', true, 70],
  ['#/fm-add-ticket', true, null],
  ['#/fm-add-ticket?twin=0', true, null],
  ['#/fm-add-ticket?twin=1e3', true, null],
  ['#/fm-add-ticket?twin=%3Cb%3E', true, null],
  ['#/home?twin=7', false, 7],
  ['', false, null],
])('%j asks for a report: %s, at %s', (hash, isReport, twinId) => {
  expect(addressOf(hash)).toEqual({ isReport, twinId })
})

test.each([
  [['en', 'de'], ['de-DE'], 'en'],
  [[null, 'de'], ['en-GB'], 'de'],
  [[null, null], ['fr-FR', 'EN-us'], 'en'],
  [['nl', null], ['fr'], 'de'],
] as const)('chosen %j and of the browser %j: %s', (chosen, languages, language) => {
  expect(languageOf(chosen, languages)).toBe(language)
})

test('texts are found by their path, and a missing one names itself', () => {
  const t = textsOf(de)
  expect(t('tickets.offline.title')).toBe(de.tickets.offline.title)
  expect(t('tickets.offline')).toBe('tickets.offline')
  expect(t('tickets.none.of.these')).toBe('tickets.none.of.these')
})
