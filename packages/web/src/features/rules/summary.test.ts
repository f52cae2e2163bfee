import i18next from 'i18next'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import en from '../../locales/en.json' with { type: 'json' }
import { ruleSummary, type SummedUp, timesText } from './summary.ts'

beforeAll(() =>
  i18next.init({
    lng: 'de',
    resources: { de: { translation: de }, en: { translation: en } },
    interpolation: { escapeValue: false },
  }),
)
afterEach(() => i18next.changeLanguage('de'))

const rule: SummedUp = {
  twinTitle: 'Raum 1',
  triggers: [{ kind: 'values' }],
  metrics: [
    { alias: 'co2', stateTitle: 'CO₂', twinTitle: 'Raum 1', unit: 'ppm', operation: 'avg', lastMinutes: 15 },
  ],
  conditions: {
    op: 'for',
    minutes: 10,
    condition: { op: 'gt', left: { metric: 'co2' }, right: { value: 1200 } },
  },
  executionTimes: {
    windows: [{ days: [1, 2, 3, 4, 5], from: '07:00', to: '17:00' }],
    dates: [],
    holidays: { country: 'DE', on: 'except' },
  },
  throttleHours: 4,
  actions: [{ kind: 'email' }],
}

describe('a rule in one sentence', () => {
  it('says what is measured, when, and how often at most', async () => {
    expect(ruleSummary(i18next.t, rule)).toBe(
      'Mittelwert von CO₂ über 15 Minuten größer als 1.200, mindestens 10 Minuten lang → E-Mail senden; ' +
        'nur Mo–Fr 07:00–17:00, nicht an Feiertagen; höchstens einmal in 4 Stunden',
    )
    await i18next.changeLanguage('en')
    expect(ruleSummary(i18next.t, rule)).toBe(
      'mean of CO₂ over 15 minutes greater than 1,200, for at least 10 minutes → Send email; ' +
        'only Mon–Fri 07:00–17:00, not on public holidays; at most once in 4 hours',
    )
  })

  it('says on which twins it runs, and what it reads of them', async () => {
    const many: SummedUp = {
      ...rule,
      conditions: { op: 'gt', left: { metric: 'co2' }, right: { metric: 'limit' } },
      metrics: [
        { alias: 'co2', of: 'own', stateKey: 'co2', over: 'avg', lastMinutes: 15 },
        { alias: 'limit', of: 'parent', stateKey: 'limit', over: 'latest' },
      ],
      executionTimes: null,
      many: { query: { twinId: 7, types: ['room'], tags: ['Klasse'] }, except: [3, 4] },
    }
    const name = (id: number) => (id === 7 ? 'Schule' : null)
    expect(ruleSummary(i18next.t, many, name)).toBe(
      'Für jeden Zwilling und jedes Gerät vom Typ Raum unter „Schule“ mit dem Tag „Klasse“ (außer 2): ' +
        'Mittelwert von co2 über 15 Minuten größer als limit des übergeordneten Zwillings → E-Mail senden; ' +
        'höchstens einmal in 4 Stunden',
    )
    await i18next.changeLanguage('en')
    const children = { alias: 'co2', of: 'children', stateKey: 'co2', over: 'latest', across: 'max' } as const
    expect(ruleSummary(i18next.t, { ...rule, metrics: [children], executionTimes: null })).toBe(
      'highest co2 of all children greater than 1,200, for at least 10 minutes → Send email; at most once in 4 hours',
    )
  })

  it('leaves out what does not limit it, and says what else wakes it', () => {
    const plain: SummedUp = { ...rule, executionTimes: null, throttleHours: 0 }
    expect(ruleSummary(i18next.t, plain)).toMatch(/E-Mail senden$/)
    expect(ruleSummary(i18next.t, { ...plain, triggers: [{ kind: 'changes' }] })).toMatch(
      /^Geprüft, wenn sich ein Wert ändert: /,
    )
    expect(ruleSummary(i18next.t, { ...plain, triggers: [{ kind: 'manual' }] })).toMatch(
      /^Geprüft von Hand: /,
    )
  })

  it.each([
    [{ operation: 'latest' }, 'CO₂ größer'],
    [{ operation: 'max', lastValues: 1 }, 'Maximum von CO₂ über 1 Wert größer'],
    [{ operation: 'sum', lastValues: 12 }, 'Summe von CO₂ über 12 Werte größer'],
    [{ operation: 'min', lastMinutes: 60 }, 'über 60 Minuten größer'],
    [{ operation: 'count', lastMinutes: 120 }, 'Anzahl der Werte von CO₂ über 2 Stunden größer'],
    [{ operation: 'difference', lastMinutes: 2880 }, 'Änderung von CO₂ über 2 Tage größer'],
    [{ operation: 'median', lastMinutes: 1 }, 'über 1 Minute größer'],
    [
      { operation: 'avg', lastMinutes: 5, twinTitle: 'Raum 2' },
      'Mittelwert von Raum 2 › CO₂ über 5 Minuten größer',
    ],
    [{ operation: 'first', lastValues: 3, stateTitle: undefined }, 'erster Wert von co2 über 3 Werte größer'],
  ])('names what is computed: %j', (change, text) => {
    const { lastMinutes: _, ...metric } = rule.metrics[0] as (typeof rule.metrics)[number]
    const changed = { ...metric, ...change } as (typeof rule.metrics)[number]
    expect(ruleSummary(i18next.t, { ...rule, metrics: [changed] })).toContain(text)
  })
})

it.each([
  [{ windows: [], dates: [], holidays: { country: 'DE', on: 'only' } }, 'nur an Feiertagen'],
  [
    {
      windows: [
        { days: [1, 2, 3, 4, 5, 6, 7], from: '22:00', to: '06:00' },
        { days: [6], from: '10:00', to: '12:00' },
      ],
      dates: [{ from: '2026-09-01', to: '2027-07-15' }],
      holidays: null,
    },
    '22:00–06:00 und Sa 10:00–12:00, 01.09.2026–15.07.2027',
  ],
  [{ windows: [], dates: [{ from: '2026-12-24', to: '2026-12-24' }], holidays: null }, '24.12.2026'],
] as const)('times %j are %s', (times, text) => {
  expect(timesText(i18next.t, times as unknown as Parameters<typeof timesText>[1])).toBe(text)
})
