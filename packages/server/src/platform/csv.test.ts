import { expect, test } from 'vitest'
import { byteOrderMark, csvLine, separatorOf, streamOf } from './csv.ts'

test('a line quotes what needs quotes and keeps formulas from running', () => {
  expect(csvLine(['a', 1.5, null, 'b,c', 'say "x"', 'two\nlines'], ',')).toBe(
    'a,1.5,,"b,c","say ""x""","two\nlines"\r\n',
  )
  expect(csvLine(['a;b', 'c,d'], ';')).toBe('"a;b";c,d\r\n')
  for (const evil of ['=1+1', '+1', '-1', '@x', '\t=1', '\r=1']) expect(csvLine([evil], ';')).toMatch(/^"?'/)
  expect(csvLine([-1], ';')).toBe('-1\r\n')
})

test('a formatted number needs no protection, but quotes like any other text', () => {
  expect(csvLine([{ plain: '-1.5' }, { plain: '-1,5' }], ',')).toBe('-1.5,"-1,5"\r\n')
})

test('German files have semicolons, English ones commas, and both say that they are UTF-8', () => {
  expect([separatorOf('de'), separatorOf('en')]).toEqual([';', ','])
  expect([...new TextEncoder().encode(byteOrderMark)]).toEqual([0xef, 0xbb, 0xbf])
})

/** Counts what was read of it, and whether it was told to stop. */
function countedTexts(texts: readonly string[]) {
  const seen = { read: 0, ended: false }
  async function* read() {
    try {
      for (const text of texts) {
        seen.read++
        yield text
      }
    } finally {
      seen.ended = true
    }
  }
  return { seen, stream: streamOf(read()) }
}

test('a stream passes on all texts as UTF-8, then ends', async () => {
  const { seen, stream } = countedTexts(['ä;', 'b\r\n'])
  expect(await new Response(stream).text()).toBe('ä;b\r\n')
  expect(seen).toEqual({ read: 2, ended: true })
})

test('a stream is read as fast as its consumer reads, and no further when it stops', async () => {
  const { seen, stream } = countedTexts(['a', 'b', 'c', 'd', 'e'])
  const reader = stream.getReader()
  await reader.read()
  expect(seen.read).toBeLessThan(4)
  await reader.cancel()
  expect(seen.ended).toBe(true)
  expect(seen.read).toBeLessThan(4)
})
