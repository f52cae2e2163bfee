import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storableJson, storableText } from './storable.ts'

test.each([
  ['"a\\u0000b"', '"a\\ufffdb"'],
  ['"\\ud800"', '"\\ufffd"'],
  ['"\\uDFFF\\uD800"', '"\\ufffd\\ufffd"'],
  ['"\\ud83c\\udf21"', '"\\ud83c\\udf21"'],
  ['"\\ud83c\\ud83c\\udf21\\udf21"', '"\\ufffd\\ud83c\\udf21\\ufffd"'],
  ['"\\\\u0000"', '"\\\\u0000"'],
  ['"\\\\\\u0000\\u0000"', '"\\\\\\ufffd\\ufffd"'],
  ['"\\u00e4\\n"', '"\\u00e4\\n"'],
  ['{"\\u0000":{"\\udc00":1}}', '{"\\ufffd":{"\\ufffd":1}}'],
  ['no JSON \\u0000', 'no JSON \\ufffd'],
])('%s becomes %s', (json, expected) => {
  expect(storableJson(json)).toBe(expected)
})

test('is the value with every text made storable', () => {
  const text = fc.string({
    unit: fc.constantFrom('\u0000', '\ud83c', '\udf21', '\\', '"', 'u', '0', 'é', '🌡'),
  })
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      expect(JSON.parse(storableJson(JSON.stringify(texts)))).toEqual(texts.map(storableText))
    }),
    { numRuns: 2000 },
  )
})

test('takes time that grows with the text only', () => {
  for (const part of ['\\', '\\\\', '\\u', '\\u0000', '\\ud800']) {
    const text = part.repeat(1_000_000 / part.length)
    expect(storableJson(text).length).toBeLessThanOrEqual(text.length)
  }
})
