import { parserKinds } from '@leitstand/contract/parsers'
import { describe, expect, it } from 'vitest'
import de from '../../../../locales/de.json' with { type: 'json' }
import en from '../../../../locales/en.json' with { type: 'json' }
import { emptyParser, toParser } from './index.ts'

describe.each(parserKinds)('a parser of kind %s', (kind) => {
  it('has its texts in both languages', () => {
    for (const { drivers } of [de, en]) {
      expect(drivers.kind.name[kind]).not.toBe('')
      expect(drivers.kind.hint[kind]).not.toBe('')
    }
  })

  it('begins as one of its kind', () => {
    expect(toParser(emptyParser(kind)).kind).toBe(kind)
  })
})
