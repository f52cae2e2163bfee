import { expect, test } from 'vitest'
import { readArguments, UsageError } from './arguments.ts'

test('without a subject help is wanted', () => {
  expect(readArguments([])).toBeNull()
  expect(readArguments(['ingest', '--help'])).toBeNull()
})

test('defaults suit the subject', () => {
  expect(readArguments(['ingest'])).toEqual({
    subject: 'ingest',
    seconds: 10,
    json: false,
    url: null,
    rate: null,
    protocol: null,
    devices: 2000,
    rows: 1_000_000,
    part: null,
    kills: 20,
    seed: null,
    nodes: null,
  })
  expect(readArguments(['live'])?.devices).toBe(500)
})

test('nodes are counted', () => {
  expect(readArguments(['cluster'])).toMatchObject({ nodes: null, seconds: 8, devices: 500 })
  expect(readArguments(['chaos', '--nodes', '3'])?.nodes).toBe(3)
  expect(() => readArguments(['chaos', '--nodes', '0'])).toThrow(UsageError)
})

test('options are read', () => {
  const args =
    'ingest --seconds 30 --json --rate 7000 --protocol http --devices 50 --url http://127.0.0.1:8080/x'
  expect(readArguments(args.split(' '))).toEqual({
    subject: 'ingest',
    seconds: 30,
    json: true,
    url: 'http://127.0.0.1:8080',
    rate: 7000,
    protocol: 'http',
    devices: 50,
    rows: 1_000_000,
    part: null,
    kills: 20,
    seed: null,
    nodes: null,
  })
})

test('the crash matrix is told how many and from which seed', () => {
  const { kills, seed, devices } = readArguments(['chaos', '--kills', '100', '--seed', '7']) ?? {}
  expect({ kills, seed, devices }).toEqual({ kills: 100, seed: 7, devices: 180 })
})

test.each([
  [['nothing'], /no subject nothing/],
  [['ingest', 'live'], /One subject/],
  [['ingest', '--seconds', '0'], /1 to 900/],
  [['ingest', '--seconds', '1.5'], /whole number/],
  [['ingest', '--rate', 'fast'], /whole number/],
  [['chaos', '--kills', '0'], /1 to 1000/],
  [['log', '--rows', '10'], /100000 to 50000000/],
  [['ingest', '--protocol', 'coap'], /mqtt, http/],
  [['ingest', '--unknown'], /unknown/i],
  [['ingest', '--url', 'http://example.org'], /this machine/],
  [['ingest', '--url', 'http://127.0.0.1.example.org'], /this machine/],
  [['ingest', '--url', 'nonsense'], /this machine/],
  [['query', '--url', 'http://127.0.0.1:8080'], /ingest and live/],
])('%j is refused with what to do', (args, message) => {
  expect(() => readArguments(args)).toThrow(UsageError)
  expect(() => readArguments(args)).toThrow(message)
})
