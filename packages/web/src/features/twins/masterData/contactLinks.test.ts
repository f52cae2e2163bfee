import { expect, test } from 'vitest'
import { mailLink, phoneLink } from './contactLinks.ts'

test.each([
  ['+49 (0)40 / 123 45-6', 'tel:+4940123456'],
  ['112', 'tel:112'],
  ['040.123', 'tel:040123'],
  ['', null],
  ['12', null],
  ['+49+40', null],
])('%j is called by %j', (phone, link) => {
  expect(phoneLink(phone)).toBe(link)
})

test.each([
  ['a@b.example', 'mailto:a@b.example'],
  ['', null],
  ['a@b.example?cc=c@d.example', null],
  ['a b@c.example', null],
])('%j is written to by %j', (email, link) => {
  expect(mailLink(email)).toBe(link)
})
