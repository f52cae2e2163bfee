import i18next from 'i18next'
import { beforeAll, describe, expect, test } from 'vitest'
import de from '../../locales/de.json' with { type: 'json' }
import type { AccountDomain } from './queries.ts'
import { inheritedText, sinceText, stateText } from './texts.ts'

beforeAll(() =>
  i18next.init({ lng: 'de', resources: { de: { translation: de } }, interpolation: { escapeValue: false } }),
)

describe('the state of a domain', () => {
  const domain = (change: object) =>
    ({
      state: 'proven',
      method: 'dns',
      claimedAt: '2026-01-05T12:00:00Z',
      provenAt: '2026-02-07T12:00:00Z',
      lapsesAt: null,
      ...change,
    }) as unknown as AccountDomain

  test.each([
    ['proven by DNS', {}, de.domains.about.dns.replace('{{day}}', '07.02.2026')],
    ['proven by a file', { method: 'file' }, de.domains.about.file.replace('{{day}}', '07.02.2026')],
    ['from before proofs', { method: null, provenAt: null }, de.domains.about.earlier],
    [
      'about to lapse',
      { state: 'failing', lapsesAt: '2026-03-01T12:00:00Z' },
      de.domains.about.failing.replace('{{day}}', '01.03.2026'),
    ],
    ['not proven yet', { state: 'waiting', provenAt: null }, de.domains.about.waiting],
    ['lapsed', { state: 'lapsed' }, de.domains.about.lapsed],
  ])('%s', (_name, change, text) => {
    expect(stateText(domain(change), i18next.t)).toBe(text)
  })
})

describe('the mail server of an account without an own one', () => {
  const texts = de.mailServer.inherited
  test.each([
    ['none', null, null, texts.none],
    ['platform', null, 'iot@example.org', texts.platform.replace('{{sender}}', 'iot@example.org')],
    [
      'account',
      'Stadtwerke & Söhne',
      'sw@example.org',
      texts.account.replace('{{name}}', 'Stadtwerke & Söhne').replace('{{sender}}', 'sw@example.org'),
    ],
    ['account', null, 'sw@example.org', texts.above],
  ] as const)('%s of %j', (kind, accountName, sender, text) => {
    expect(inheritedText({ kind, accountName, sender }, i18next.t)).toBe(text)
  })
})

describe('since when an integration is active', () => {
  const integration = (change: object) =>
    ({ since: '2026-11-20T12:00:00Z', by: null, from: null, ...change }) as Parameters<typeof sinceText>[1]

  test('names the day, and that it stays', () => {
    const text = sinceText(i18next.t, integration({}))
    expect(text).toMatch(/^Aktiv seit 20\.11\.2026/)
    expect(text).toMatch(new RegExp(`${de.integrations.stays}$`))
  })

  test.each([
    [{ by: 'Märta Müller' }, 'aktiviert von Märta Müller'],
    [{ from: { id: 1, name: 'Stadt' } }, 'Geerbt vom Account „Stadt“'],
    [{ from: { id: 1, name: null } }, de.integrations.fromAbove],
  ])('with %j also says "%s"', (change, part) => {
    expect(sinceText(i18next.t, integration(change))).toContain(part)
  })
})
