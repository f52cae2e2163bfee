import i18next from 'i18next'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import en from '../../locales/en.json' with { type: 'json' }
import { answerLines, differenceOf, type InsightAnswer } from './insight.ts'

beforeAll(() =>
  i18next.init({ lng: 'en', resources: { en: { translation: en } }, interpolation: { escapeValue: false } }),
)
// Other files of the same worker expect the default.
afterAll(() => i18next.changeLanguage('de'))

describe('a scope', () => {
  const of = (...permissions: string[]) => ({ permissions })

  test('is the same as the one above with the same permissions in any order', () => {
    expect(differenceOf(of('a', 'b'), of('b', 'a'))).toEqual({ kind: 'same' })
    expect(differenceOf(of(), of())).toEqual({ kind: 'same' })
  })

  test('has permissions of its own, or none', () => {
    expect(differenceOf(of('a'), of('a', 'b'))).toEqual({ kind: 'own', count: 1 })
    expect(differenceOf(of('a'), null)).toEqual({ kind: 'own', count: 1 })
    expect(differenceOf(of(), null)).toEqual({ kind: 'none' })
  })
})

describe('an answer', () => {
  const refused: InsightAnswer = {
    explanation: { subject: 'Dashboards', action: 'read', allowed: false, module: null, because: null },
    roles: [{ name: 'Reader', key: null }],
    givers: { items: [{ id: 1, username: 'ada' }], total: 1 },
  }

  test('names the reason, the roles and who could give them', () => {
    const lines = answerLines(i18next.t, refused)
    expect(lines).toHaveLength(3)
    expect(lines[0]).toBe(en.users.explain.unsaid)
    expect(lines[1]).toContain('Reader')
    expect(lines[2]).toContain('ada')
    const more = answerLines(i18next.t, { ...refused, givers: { ...refused.givers, total: 3 } })
    expect(more[2]).toContain('2')
  })

  test('is short where nothing more helps', () => {
    const noGivers = { ...refused, roles: [], givers: { items: [], total: 0 } }
    expect(answerLines(i18next.t, noGivers)).toEqual([en.users.explain.unsaid, en.users.insight.noGivers])
    const off = { ...refused, explanation: { ...refused.explanation, module: 'dashboards' as const } }
    expect(answerLines(i18next.t, off)).toHaveLength(1)
    const allowed = { ...refused, explanation: { ...refused.explanation, allowed: true } }
    expect(answerLines(i18next.t, allowed)).toHaveLength(1)
  })
})
