import { readFileSync } from 'node:fs'
import i18next from 'i18next'
import { describe, expect, test } from 'vitest'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }

function flatten(node: object, prefix = ''): [string, string][] {
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string'
      ? [[prefix + key, value] as [string, string]]
      : flatten(value as object, `${prefix}${key}.`),
  )
}
const texts = { de: flatten(de), en: flatten(en) }
const having = (language: 'de' | 'en', pattern: RegExp) =>
  texts[language].filter(([, text]) => pattern.test(text)).map(([key, text]) => `${key}: ${text}`)

describe.each(['de', 'en'] as const)('the texts in %s', (language) => {
  test('have no blanks that nobody sees', () => {
    expect(having(language, /^ | $| {2}|\t/)).toEqual([])
  })

  test('have complete placeholders', () => {
    const broken = texts[language].filter(([, text]) =>
      /\{\{|\}\}/.test(text.replace(/\{\{[\w, ]+\}\}/g, '')),
    )
    expect(broken).toEqual([])
  })

  test('hold no markup: they are shown as they are', () => {
    expect(having(language, /<\/?(?:a|b|br|div|em|i|img|li|p|script|span|strong|ul)\b/i)).toEqual([])
  })

  test('of a number have both of its forms', () => {
    const keys = new Set(texts[language].map(([key]) => key))
    const alone = [...keys].filter(
      (key) =>
        (key.endsWith('_one') && !keys.has(key.replace(/_one$/, '_other'))) ||
        (key.endsWith('_other') && !keys.has(key.replace(/_other$/, '_one'))),
    )
    expect(alone).toEqual([])
  })

  test('use the quotes of the language', () => {
    expect(having(language, language === 'de' ? /[\u201c][A-Za-zÄÖÜ{]/ : /„|“[^”]*$/)).toEqual([])
  })
})

test('German addresses people as Sie', () => {
  expect(having('de', /\b(du|dein|deine|deinem|deinen|dich|dir)\b/i)).toEqual([])
})

interface Unwanted {
  wording: string
  allowed: readonly string[]
}

/** The words of one column "not" of docs/glossary.md: in backticks, with what is allowed after "except". */
function unwanted(column: -2 | -1): Unwanted[] {
  const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)
  return readFileSync(new URL('../../../../docs/glossary.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => {
      const [words = '', allowed = ''] = (line.split('|').slice(1, -1).at(column) ?? '').split(' except ')
      return quoted(words).map((wording) => ({ wording, allowed: quoted(allowed) }))
    })
}

/** A whole word or phrase, its first letter in either case; `*` stands for any ending. */
function wordPattern(wording: string): RegExp {
  const [first = '', ...rest] = wording.replace('*', '')
  const end = wording.endsWith('*') ? '' : '(?![\\p{L}\\p{N}])'
  const letter = `[${first.toLowerCase()}${first.toUpperCase()}]`
  return new RegExp(`(?<![\\p{L}\\p{N}-])${letter}${rest.join('').replace(/[.+?()]/g, '\\$&')}${end}`, 'u')
}

function withoutAllowed(text: string, allowed: readonly string[]): string {
  return allowed.reduce(
    (shorter, phrase) => shorter.replace(wordPattern(phrase), ''),
    text.replace(/\{\{[^}]*\}\}/g, ''),
  )
}

describe.each([
  ['en', unwanted(-2)],
  ['de', unwanted(-1)],
] as const)('the words of the glossary in %s', (language, words) => {
  test('are read', () => {
    expect(words.length).toBeGreaterThan(30)
  })

  test.each(words)('no text says "$wording"', ({ wording, allowed }) => {
    const pattern = wordPattern(wording)
    const found = texts[language].filter(([, text]) => pattern.test(withoutAllowed(text, allowed)))
    expect(found.map(([key, text]) => `${key}: ${text}`)).toEqual([])
  })
})

test.each([
  ['mail', 'Send a mail', true],
  ['mail', 'Send an email', false],
  ['Nutzlast*', 'Die Nutzlasten', true],
  ['rests', 'The rule rests.', true],
  ['id', 'The ID', false],
  ['Grenze', 'Der Grenzwert', false],
])('"%s" in "%s"', (wording, text, expected) => {
  expect(wordPattern(wording).test(text)).toBe(expected)
})

// After "seit" German has the dative: "seit 2 Tagen".
test.each([
  [1, 'seit 1 Tag kein Paket'],
  [2, 'seit 2 Tagen kein Paket'],
])('how long a device is silent, %d days', async (count, text) => {
  const t = await i18next.createInstance().init({ lng: 'de', resources: { de: { translation: de } } })
  expect(t('deviceHealth.silentFor', { duration: t('deviceHealth.past.day', { count }) })).toBe(text)
})

test.each([
  ['validation.required', 'This field is required'],
  ['validation.custom.downlinkMissing', 'The value is required'],
  ['jobs.fault.REQUIRED', 'The value is required'],
  ['validation.userRequired', 'A user is required'],
  ['errors.2FA_TOKEN_FAILURE', 'Authorization code is invalid'],
  ['consent.failed', 'Error while accepting the agreement'],
  ['errors.noPermissionFor', 'No “{{action}}” permission for {{subject}}'],
  ['errors.INFLUX_NOT_ACTIVATED', 'Influx integration not activated, activate it please'],
  ['tickets.noUserRead', 'No user-read permissions'],
])('%s is worded as the specification quotes it', (key, text) => {
  expect(Object.fromEntries(texts.en)[key]).toBe(text)
})
