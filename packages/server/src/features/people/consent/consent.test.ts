import { describe, expect, test } from 'vitest'
import { effectiveTerms, keepConsent, needsConsent, type TermsRow } from './consent.ts'

const row = (id: number, terms: string | null, since: string | null = null): TermsRow => ({
  id,
  name: `account ${id}`,
  scopeId: id * 10,
  terms,
  revision: `r${id}`,
  consentSince: since === null ? null : new Date(since),
})
const accepted = (at: string, accountId = 1) => ({ eula: { accepted: at, accountId } })

describe('terms', () => {
  test('are the own ones, else the nearest above, else none', () => {
    expect(effectiveTerms([row(2, 'own'), row(1, 'above')])?.text).toBe('own')
    expect(effectiveTerms([row(3, null), row(2, '  '), row(1, 'above')])).toMatchObject({
      text: 'above',
      accountId: 1,
      since: null,
    })
    expect(effectiveTerms([row(2, null), row(1, null)])).toBeNull()
  })

  test('are asked for again by their account and by those below it, not by those above', () => {
    const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z']
    expect(effectiveTerms([row(2, null, late), row(1, 'above', early)])?.since).toEqual(new Date(late))
    expect(effectiveTerms([row(2, 'own', early), row(1, 'above', late)])?.since).toEqual(new Date(early))
  })
})

describe('consent', () => {
  const terms = effectiveTerms([row(1, 'text', '2026-02-01T00:00:00.000Z')])

  test.each<[string, unknown, boolean]>([
    ['of somebody who never accepted', {}, true],
    ['from before the terms were renewed', accepted('2026-01-31T23:59:59.999Z'), true],
    ['since then', accepted('2026-02-01T00:00:00.000Z'), false],
    ["to another account's terms", accepted('2026-03-01T00:00:00.000Z', 2), true],
    ['that is not readable', { eula: { accepted: true } }, true],
  ])('%s', (_name, properties, needed) => {
    expect(needsConsent(properties, terms)).toBe(needed)
    expect(needsConsent(properties, null)).toBe(false)
  })

  test('is neither claimed nor lost by new properties', () => {
    const claim = { ...accepted('2026-03-01T00:00:00.000Z'), other: 1 }
    expect(keepConsent(claim, {})).toEqual({ other: 1 })
    expect(keepConsent({ other: 2 }, claim)).toEqual({ ...claim, other: 2 })
  })
})
