import { connectorSettings, receivingKinds } from '@leitstand/contract/connectors/kinds/index'
import { describe, expect, test } from 'vitest'
import { exampleSample } from '../samples.ts'
import { settingsFor } from '../settings.ts'
import { kindNames, kinds } from './index.ts'
import type { Reached } from './types.ts'

const reached = (change: object): Reached =>
  ({ kind: 'webhook-in', preset: 'standard', endpoints: [], settings: {}, ...change }) as Reached
const sample = exampleSample('standard')

describe.each(kindNames)('a connector of the kind %s', (kind) => {
  test('begins with the same settings each time, none of them shared', () => {
    expect(kinds[kind].empty()).toEqual(kinds[kind].empty())
    expect(kinds[kind].empty()).not.toBe(kinds[kind].empty())
  })

  test('has only secrets that are settings', () => {
    const empty = kinds[kind].empty()
    expect(Object.keys(kinds[kind].secrets(empty)).filter((key) => !(key in empty))).toEqual([])
  })
})

describe.each(receivingKinds)('a connector of the kind %s that receives', (kind) => {
  test('has settings that the contract knows', () => {
    const known = Object.keys(connectorSettings[kind].shape ?? {})
    expect(Object.keys(settingsFor(kinds[kind].empty())).filter((key) => !known.includes(key))).toEqual([])
  })

  test('shows a command of its own program, with the packet in it', () => {
    const command = kinds[kind].sending?.command(
      reached({ kind, endpoints: ['https://a.example/hook'] }),
      sample,
      'KEY',
    )
    expect(command?.startsWith(kinds[kind].sending?.tool ?? '-')).toBe(true)
    expect(command).toContain(sample.identifier)
  })

  test('needs the key of a network server only where it has one', () => {
    const empty = kinds[kind].empty()
    expect(kinds[kind].secrets(empty).remoteKey).toBe(false)
    expect(kinds[kind].secrets({ ...empty, remote: 'tts-v3' }).remoteKey).toBe(true)
  })
})

describe('a command of a webhook', () => {
  const command = (change: object, key = 'KEY') =>
    kinds['webhook-in'].sending?.command(
      reached({ endpoints: ['https://a.example/hook'], ...change }),
      sample,
      key,
    )

  test('has the key in the address', () => {
    expect(command({})).toContain("'https://a.example/hook/KEY'")
  })

  test('says which event it is to ChirpStack', () => {
    expect(command({ preset: 'chirpstack-v4' })).toContain("'https://a.example/hook/KEY?event=up'")
  })

  test('without an address shows none', () => {
    expect(command({ endpoints: [] })).toContain("curl -X POST ''")
  })
})

describe('a command of the built-in broker', () => {
  const command = (endpoints: string[], settings: object = {}) =>
    kinds['mqtt-broker'].sending?.command(reached({ kind: 'mqtt-broker', endpoints, settings }), sample, '')

  test.each([
    [['mqtt://broker.example:1884'], '-h broker.example -p 1884'],
    [['mqtt://broker.example'], '-h broker.example -p 1883'],
    [['mqtt://[2001:db8::1]:1883'], '-h [2001:db8::1] -p 1883'],
    [[], '-h localhost -p 1883'],
    [['not an address'], '-h localhost -p 1883'],
  ])('at %j connects with %s', (endpoints, part) => {
    expect(command(endpoints)).toContain(part)
  })

  test('signs in with the user of the connector, whatever it is called', () => {
    expect(command([], { username: "o'neil" })).toContain("-u 'o'\\''neil'")
  })

  test.each([[7], [null], [{}], [['a']]])('with the user name %j signs in without one', (username) => {
    expect(command([], { username })).not.toContain('-u ')
  })
})

describe('a command of an external broker', () => {
  const command = (settings: object) =>
    kinds['mqtt-in'].sending?.command(reached({ kind: 'mqtt-in', settings }), sample, '')

  test.each([
    [{ host: 'b.example', port: 8883 }, '-h b.example -p 8883'],
    [{ host: 'b.example' }, '-h b.example -p 1883'],
    [{ host: 'b.example', port: '8883' }, '-h b.example -p 1883'],
    [{}, '-h localhost -p 1883'],
  ])('with %j connects with %s', (settings, part) => {
    expect(command(settings)).toContain(part)
  })

  test.each([
    [['city/+/up'], `-t 'city/${sample.identifier}/up'`],
    [['a', 'b'], "-t 'a'"],
    [[], `-t '${sample.identifier}'`],
    [[7, null], `-t '${sample.identifier}'`],
    ['text', `-t '${sample.identifier}'`],
  ])('with the topics %j publishes to %s', (topics, part) => {
    expect(command({ topics })).toContain(part)
  })
})
