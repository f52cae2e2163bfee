import { expect, test } from 'vitest'
import { takeAsked } from './asked.ts'

const url = 'http://localhost/api/virtualdevice/7'
const headers = { authorization: 'Bearer secret', 'accept-language': 'de' }
const asked = () => {
  const answer = Promise.resolve(new Response('{}'))
  return { answer, token: 'secret', language: 'de', answers: new Map([['/api/virtualdevice/7', answer]]) }
}

test('an answer that was requested before is taken once', () => {
  const before = asked()
  expect(takeAsked(before, new Request(url, { headers }), 500)).toBe(before.answer)
  expect(takeAsked(before, new Request(url, { headers }), 500)).toBeUndefined()
})

test.each([
  ['another call', 'http://localhost/api/virtualdevice/8', { headers }, 500],
  ['another search', `${url}?limit=1`, { headers }, 500],
  ['a change', url, { headers, method: 'DELETE' }, 500],
  ['another session', url, { headers: { ...headers, authorization: 'Bearer other' } }, 500],
  ['no session', url, { headers: { 'accept-language': 'de' } }, 500],
  ['another language', url, { headers: { ...headers, 'accept-language': 'en' } }, 500],
  ['later', url, { headers }, 20_000],
])('not for %s', (_, address, init, nowMs) => {
  expect(takeAsked(asked(), new Request(address, init), nowMs)).toBeUndefined()
})

test('without a session nothing of a session is taken', () => {
  const guest = { ...asked(), token: null }
  expect(takeAsked(guest, new Request(url, { headers: { 'accept-language': 'de' } }), 1)).toBe(guest.answer)
  expect(takeAsked(undefined, new Request(url), 1)).toBeUndefined()
})
