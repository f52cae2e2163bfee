import { expect, test } from 'vitest'
import { htmlOf } from './html.ts'

test('paragraphs, lines and links are those of the text', () => {
  const html = htmlOf(
    'Der Pegel ist 3,2 m.\nBrücke\n\nhttps://leitstand.example/#/alarm-logs?status=unresolved.',
  )
  expect(html).toContain('Der Pegel ist 3,2 m.<br>\nBrücke</p>')
  expect(html).toContain(
    '<a href="https://leitstand.example/#/alarm-logs?status=unresolved">https://leitstand.example/#/alarm-logs?status=unresolved</a>.',
  )
})

test('what a tenant has written stays text', () => {
  const html = htmlOf(
    '<script>alert(1)</script> "a" & \'b\' http://x.example/"onmouseover=alert(1) javascript:alert(1)',
  )
  expect(html).not.toContain('<script>')
  expect(html.match(/<a /g)).toHaveLength(1)
  expect(html).toContain('<a href="http://x.example/">http://x.example/</a>&#34;onmouseover')
})

test('pictures follow the text, each with its title for those who do not see it', () => {
  const html = htmlOf('', [{ cid: '7.3@leitstand', title: 'Raum "1" · CO₂' }])
  expect(html).toContain('<img src="cid:7.3@leitstand" alt="Raum &#34;1&#34; · CO₂"')
})
