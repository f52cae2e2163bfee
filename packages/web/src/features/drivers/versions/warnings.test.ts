import { expect, it } from 'vitest'
import { warningsOf } from './warnings.ts'

const url = (address: string) => ({ kind: 'url' as const, url: address, timeoutMs: 1000, retries: 1 })
const script = { kind: 'function' as const }

it('says where packets go, and that another kind of parser reads them', () => {
  const details = { host: 'parser.example.org:8443', kind: 'url' }
  expect(warningsOf(script, url('https://parser.example.org:8443/in'))).toEqual([
    { kind: 'host', details },
    { kind: 'kind', details },
  ])
  // The host can differ, and the console cannot see what happens there.
  expect(warningsOf(url('https://a.example.org'), url('https://parser.example.org:8443'))).toEqual([
    { kind: 'host', details },
  ])
  expect(warningsOf(script, { kind: 'elixir' })).toMatchObject([{ kind: 'kind' }])
  expect(warningsOf(url('https://a.example.org'), script)).toMatchObject([{ kind: 'kind' }])
  expect(warningsOf(script, script)).toEqual([])
})
