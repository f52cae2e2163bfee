import { expect, test } from 'vitest'
import { startDns } from '../../../test/dns.ts'
import { isDnsServer, Names } from './names.ts'

test('the DNS knows a name, does not know it, or nobody answers', async () => {
  const dns = await startDns(['known.example'])
  const names = new Names([dns.address])
  expect(await names.ask('known.example')).toBe('known')
  expect(await names.ask('other.example')).toBe('unknown')
  await dns[Symbol.asyncDispose]()
  expect(await names.ask('known.example')).toBe('unanswered')
})

test.each([
  ['10.0.0.53', true],
  ['10.0.0.53:5353', true],
  ['fd00::53', true],
  ['[fd00::53]:5353', true],
  ['10.0.0.53:0', false],
  ['10.0.0.53:99999', false],
  ['dns.example.org', false],
  ['dns.example.org:53', false],
])('the DNS server %s: %s', (text, expected) => {
  expect(isDnsServer(text)).toBe(expected)
})
