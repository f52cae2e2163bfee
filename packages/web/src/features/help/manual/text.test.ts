import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import de from '../../../locales/de.json' with { type: 'json' }
import en from '../../../locales/en.json' with { type: 'json' }
import { pageNames } from './pages.ts'
import { excerptOf, idOf, namesIn, picturesIn, sectionsOf, titleOf, withNames } from './text.ts'

const folder = new URL('.', import.meta.url)
const texts = { de, en } as const
const languages = ['de', 'en'] as const

const read = (language: string, name: string) =>
  readFileSync(new URL(`pages/${language}/${name}.md`, folder), 'utf8')

function textOf(language: 'de' | 'en', key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((node, part) => (node as Record<string, unknown>)?.[part], texts[language])
}

describe('the manual', () => {
  it('has every page in both languages, with the same sections and pictures', () => {
    for (const language of languages)
      expect(readdirSync(new URL(`pages/${language}/`, folder)).toSorted()).toEqual(
        pageNames.map((name) => `${name}.md`).toSorted(),
      )
    for (const name of pageNames) {
      const [german, english] = [read('de', name), read('en', name)]
      expect([name, sectionsOf(german).length]).toEqual([name, sectionsOf(english).length])
      expect(picturesIn(german)).toEqual(picturesIn(english))
      expect(titleOf(german)).not.toBe('')
    }
  })

  it('names things as the console does', () => {
    for (const language of languages)
      for (const name of pageNames)
        for (const key of namesIn(read(language, name)))
          expect([name, key, typeof textOf(language, key)]).toEqual([name, key, 'string'])
  })

  it('has a picture for every place that shows one, and no other', () => {
    for (const language of languages) {
      const shown = new Set(pageNames.flatMap((name) => picturesIn(read(language, name))))
      const there = readdirSync(new URL(`pictures/${language}/`, folder))
      expect(there.toSorted()).toEqual([...shown].map((name) => `${name}.webp`).toSorted())
    }
  })

  it('does not name the product, which may have another name', () => {
    for (const language of languages)
      for (const name of pageNames) expect(read(language, name)).not.toContain('Leitstand')
  })
})

describe('a page', () => {
  const page = '# Devices\n\nOne **sends**.\n\n![devices](devices)\n\n## No values?\n\n- Look at {{a.b}}.\n'

  it('is cut at its headings', () => {
    expect(titleOf(page)).toBe('Devices')
    expect(sectionsOf(withNames(page, (key) => `<${key}>`))).toEqual([
      { id: '', title: 'Devices', text: 'One sends.' },
      { id: 'no-values', title: 'No values?', text: 'Look at <a.b>.' },
    ])
    expect(idOf('Über – Größe!')).toBe('über-größe')
  })

  it('is quoted around what was searched for', () => {
    const text = `${'before '.repeat(30)}the needle ${'after '.repeat(60)}`
    const excerpt = excerptOf(text, ['needle'])
    expect(excerpt).toMatch(/^… before .*needle after .* …$/)
    expect(excerptOf('short', ['other'])).toBe('short')
  })
})
