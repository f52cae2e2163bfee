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

// Literal translations from German that have slipped in before.
const literalTranslations = ['whoever', 'made anew', 'start anew', 'starts anew', 'stand here', 'stands here']

test.each(literalTranslations)('English texts do not use "%s"', (wording) => {
  expect(having('en', new RegExp(`\\b${wording}\\b`, 'i'))).toEqual([])
})
