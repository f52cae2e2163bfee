import { describe, expect, it } from 'vitest'
import type { InboundMessage } from '../types.ts'
import { frame, messageIdOf, partitionCount, partitionOf, unframe } from './frame.ts'

const receivedAt = new Date('2026-06-15T12:00:00.123Z')
const message = (over: Partial<InboundMessage> = {}): InboundMessage => ({
  connector: { id: 7, accountId: 3 },
  packets: [{ identifier: 'pump-1', data: { ok: true } }],
  raw: '{"a":"ü\u0000😀"}',
  receivedAt,
  ...over,
})

/** Without the key it gets in the stream. */
const withoutKey = (messages: readonly InboundMessage[]) =>
  messages.map(({ streamKey: _, ...given }) => given)

describe('a message of the stream', () => {
  it('comes out as it went in', () => {
    const origin = { stage: 'message', preset: 'standard', topic: 'a/b' } as const
    const given = message({ dedupKeys: ['k', undefined], origin })
    expect(withoutKey(unframe(frame([given])))).toEqual([given])
  })

  it('holds several in their order, and nothing of a batch that is cut off', () => {
    const raws = ['a'.repeat(300), '', 'ü😀\ud800', '\udc00"\\"', 'c'.repeat(300)]
    const given = raws.map((raw, index) => message({ raw, dedupKeys: [`${index}`] }))
    const batch = frame(given)
    const found = withoutKey(unframe(batch))
    expect(found.map(({ dedupKeys }) => dedupKeys)).toEqual(given.map(({ dedupKeys }) => dedupKeys))
    expect(found.map(({ raw }) => raw.length)).toEqual(raws.map((raw) => raw.length))
    expect(withoutKey(unframe(frame(given.filter((_, index) => index % 4 === 0))))).toEqual([
      given[0],
      given[4],
    ])
    for (let length = 0; length < batch.length; length += 20)
      expect(() => unframe(batch.subarray(0, length))).toThrow()
  })

  it('refuses what no node has written', () => {
    for (const bytes of [
      '',
      'no packet',
      '\u0001\u0000\u0000\u0000\u0002\u0000\u0000\u0000\u0003{}',
      '\u0000\u0000\u0000\u0002{}',
      '\u0080\u0000\u0000\u0002{}',
      '\uffff'.repeat(9),
    ])
      expect(() => unframe(Buffer.from(bytes, 'latin1'))).toThrow()
  })

  it('gets keys of its own, the same each time it is delivered', () => {
    const bytes = frame([message(), message()])
    const keys = unframe(bytes).map(({ streamKey }) => streamKey)
    expect(new Set(keys).size).toBe(2)
    expect(unframe(bytes).map(({ streamKey }) => streamKey)).toEqual(keys)
    expect(unframe(frame([message()]))[0]?.streamKey).not.toBe(keys[0])
  })

  it('is recognised at the door by connector, device and key', () => {
    const id = (over: Partial<InboundMessage>) => messageIdOf(message({ dedupKeys: ['k'], ...over }))
    expect(id({})).toBe(id({ raw: 'other' }))
    expect(id({ connector: { id: 8, accountId: 3 } })).not.toBe(id({}))
    expect(id({ packets: [{ identifier: 'pump-2', data: {} }] })).not.toBe(id({}))
    expect(messageIdOf(message())).toBeUndefined()
  })

  it('goes into the partition of its device', () => {
    const of = (identifier: string) => partitionOf(message({ packets: [{ identifier, data: {} }] }))
    expect(of('pump-1')).toBe(of('pump-1'))
    const found = new Set(Array.from({ length: 2000 }, (_, index) => of(`pump-${index}`)))
    expect(found.size).toBe(partitionCount)
    expect(Math.max(...found)).toBe(partitionCount - 1)
  })
})
