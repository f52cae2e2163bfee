import type { Condition } from '@leitstand/contract/rules'
import i18next from 'i18next'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import { comparisonOps } from './conditions/index.ts'
import { reasons, sentence } from './conditions/tree.ts'
import { metricNames, ruleSentence, wordsOf } from './words.ts'

beforeAll(() =>
  i18next.init({
    lng: 'de',
    resources: { de: { translation: de }, en: { translation: en } },
    interpolation: { escapeValue: false },
  }),
)
afterEach(() => i18next.changeLanguage('de'))

const metrics = [
  { alias: 'a', stateTitle: 'Temperatur', twinTitle: 'Raum 1', unit: '°C' },
  { alias: 'b', stateTitle: 'Fenster', twinTitle: 'Raum 2', unit: '' },
]
const hot: Condition = { op: 'gt', left: { metric: 'a' }, right: { value: 30 } }
const open: Condition = { op: 'eq', left: { metric: 'b' }, right: { value: 'offen' } }
const far: Extract<Condition, { op: 'hysteresis' }> = {
  op: 'hysteresis',
  input: { metric: 'a' },
  direction: 'above',
  limit: 30,
  release: 28,
}
const ruleOf = (conditions: Condition) => ({ conditions, twinTitle: 'Raum 1', metrics })

describe('the sentence of a rule', () => {
  test('names states of other twins with their twin', () => {
    expect(metricNames(i18next.t, ruleOf(hot))).toEqual([
      { alias: 'a', title: 'Temperatur', unit: '°C' },
      { alias: 'b', title: 'Raum 2 › Fenster', unit: '' },
    ])
  })

  test('quotes texts as its language does', async () => {
    expect(ruleSentence(i18next.t, ruleOf(open))).toContain('„offen“')
    await i18next.changeLanguage('en')
    expect(ruleSentence(i18next.t, ruleOf(open))).toContain('“offen”')
    expect(ruleSentence(i18next.t, ruleOf(open))).not.toContain('„')
  })

  test('writes numbers and booleans as its language does', async () => {
    const words = () => wordsOf(i18next.t, [])
    expect(words().operand({ value: 1234.5 })).toBe('1.234,5')
    expect(words().operand({ value: true })).toBe('ja')
    expect(words().operand({ value: null })).toBe('–')
    expect(words().operand({ value: '' })).toBe('„“')
    await i18next.changeLanguage('en')
    expect(words().operand({ value: 1234.5 })).toBe('1,234.5')
    expect(words().operand({ value: false })).toBe('no')
  })

  test('shows an alias without an entry as it is', () => {
    const words = wordsOf(i18next.t, [{ alias: 'a', title: 'Temperatur' }])
    expect(words.operand({ metric: 'a' })).toBe('Temperatur')
    expect(words.operand({ metric: 'gone' })).toBe('gone')
    expect(wordsOf(i18next.t, [{ alias: 'a' }]).operand({ metric: 'a' })).toBe('a')
  })

  test.each(['de', 'en'])('has words for every comparison, now and then (%s)', async (language) => {
    await i18next.changeLanguage(language)
    const words = wordsOf(i18next.t, [])
    for (const op of comparisonOps)
      for (const say of [words.compare, words.compareWas, words.compareNot]) {
        const text = say(op, 'left', 'right')
        expect(text).toMatch(/^left .+ right/)
        expect(text).not.toContain('rules.')
      }
  })

  test.each([
    [{ op: 'and', conditions: [hot, open] }, ['Temperatur', ' und ', '„offen“']],
    [{ op: 'or', conditions: [hot, open] }, [' oder ']],
    [{ op: 'not', condition: hot }, ['nicht', 'Temperatur']],
    [{ op: 'when', condition: hot, implies: open }, ['Wenn', 'Temperatur', '„offen“']],
    [{ op: 'for', minutes: 1, condition: hot }, ['Temperatur', ', mindestens 1 Minute lang']],
    [{ op: 'for', minutes: 10, condition: hot }, ['mindestens 10 Minuten lang']],
    [{ op: 'times', count: 3, of: 5, condition: hot }, ['Temperatur', 'bei 3 der letzten 5 Werte']],
    [
      { op: 'and', conditions: [{ op: 'for', minutes: 9, condition: hot }, open] },
      ['(Temperatur', 'lang) und'],
    ],
    [far, ['Temperatur größer als 30, bis kleiner als 28']],
    [{ ...far, direction: 'below', limit: 5, release: 8 }, ['kleiner als 5, bis größer als 8']],
  ] as [Condition, string[]][])('of %j is said in German', (condition, parts) => {
    const text = sentence(condition, wordsOf(i18next.t, metricNames(i18next.t, ruleOf(condition))))
    for (const part of parts) expect(text.toLowerCase()).toContain(part.toLowerCase())
    expect(text).not.toMatch(/\{\{|rules\./)
  })
})

describe('why a rule was met', () => {
  const words = () => wordsOf(i18next.t, metricNames(i18next.t, ruleOf(hot)))

  test('names the metric with the value it had, in its unit', () => {
    const branch = { op: 'gt', met: true, left: 31.25, right: 30 } as const
    const [reason] = reasons(branch, hot, words())
    expect(reason).toContain('Temperatur (31,25\u202f°C)')
    expect(reason).toContain('30')
  })

  const since = '2026-11-20T10:00:00.000Z'
  const warm = { op: 'gt', met: true, left: 31, right: 30 } as const
  const cool = { op: 'gt', met: false, left: 20, right: 30 } as const

  test.each([
    [{ met: true, since, children: [warm] }, ['war größer als 30, seit', 'mindestens 10 Minuten lang']],
    [{ met: false, since, children: [warm] }, ['war größer als 30, aber erst seit', 'noch nicht 10 Minuten']],
    [{ met: false, children: [cool] }, ['war nicht größer als 30']],
  ])('%j for some time', (branch, parts) => {
    const condition: Condition = { op: 'for', minutes: 10, condition: hot }
    const [reason] = reasons({ op: 'for', minutes: 10, ...branch }, condition, words())
    for (const part of parts) expect(reason).toContain(part)
    expect(reason).not.toMatch(/\{\{|rules\./)
  })

  test('how often it was met', () => {
    const condition: Condition = { op: 'times', count: 3, of: 5, condition: hot }
    const branch = { op: 'times', met: false, count: 2, seen: 5, needed: 3, of: 5, children: [warm] }
    expect(reasons(branch, condition, words())).toEqual([
      'Temperatur größer als 30: bei 2 der letzten 5 Werte, nötig sind 3',
    ])
  })

  test.each([
    [{ met: true, held: false, left: 31, right: 30, since }, 'war größer als 30'],
    [{ met: true, held: true, left: 29, right: 28, since }, 'nicht kleiner als 28'],
    [{ met: false, held: true, left: 20, right: 28 }, 'war kleiner als 28'],
    [{ met: false, held: false, left: 29, right: 30 }, 'war nicht größer als 30'],
  ])('%j with a margin', (branch, part) => {
    const [reason] = reasons({ op: 'hysteresis', direction: 'above', ...branch }, far, words())
    expect(reason).toContain(part)
    expect(reason).toContain('Temperatur (')
  })

  test('says that there was no value', () => {
    for (const left of [null, undefined]) {
      expect(words().valued({ metric: 'a' }, left)).toBe(`Temperatur (${de.rules.noValue})`)
    }
  })

  test('shows what was compared when the rule no longer names it', () => {
    expect(words().valued(undefined, 'offen')).toBe('„offen“')
    expect(words().valued({ value: 30 }, 30)).toBe('30')
  })

  test('markup in names is text', () => {
    const named = wordsOf(i18next.t, [{ alias: 'a', title: '<b>$t(common.yes)</b>' }])
    expect(named.operand({ metric: 'a' })).toBe('<b>$t(common.yes)</b>')
  })
})
