import { expect, it } from 'vitest'
import { webLink } from './webLink.ts'

it('makes links of addresses of the web, which learn nothing of where one came from', () => {
  expect(webLink('https://example.org/a?b#c')).toEqual({
    href: 'https://example.org/a?b#c',
    target: '_blank',
    rel: 'noopener noreferrer',
  })
})

it.each([
  undefined,
  null,
  '',
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'JavaScript://example.org/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:https://example.org/1',
  'file:///etc/passwd',
  '//example.org',
  '/own/page',
  'https:example.org',
  'https://user:secret@example.org',
  'https://user@example.org',
  'https://@example.org',
  'https:\\\\example.org',
  'https://exa mple.org',
])('makes no link of %j', (address) => {
  expect(webLink(address)).toBeUndefined()
})

it.each(['https://müller.example/zähler', 'http://[2001:db8::1]:8080/', 'https://example.org/?q=<b>'])(
  '%s is an address of the web, too',
  (address) => {
    expect(webLink(address)?.href).toBe(address)
  },
)
