import { describe, expect, it } from 'vitest'
import type { InboundMessage } from '../types.ts'
import { frame, frameBatch, messageIdOf, partitionCount, partitionOf, unframe } from './frame.ts'

const receivedAt = new Date('2026-06-15T12:00:00.123Z')
const message = (over: Partial<InboundMessage> = {}): InboundMessage => ({
  connector: { id: 7, accountId: 3 },
  packets: [{ identifier: 'pump-1', data: { ok: true } }],
  raw: '{"a":"ü\u0000😀"}',
  receivedAt,
  ...over,
})

describe('a message of the stream', () => {
  it('comes out as it went in', () => {
    const origin = { stage: 'message', preset: 'standard', topic: 'a/b' } as const
    const given = message({ dedupKeys: ['k'], origin })
    expect(unframe(frame(given).bytes)).toEqual([given])
  })

  it('holds several in their order, and nothing of a batch that is cut off', () => {
    const given = ['a', 'b', 'c'].map((key) => message({ dedupKeys: [key], raw: key.repeat(300) }))
    const batch = frameBatch(given.map((each) => frame(each).bytes))
    expect(unframe(batch)).toEqual(given)
    for (let length = 0; length < batch.length; length += 50)
      expect(() => unframe(batch.subarray(0, length))).toThrow()
  })

  it('gets a key of its own where the source gives no identity, the same each time it is delivered', () => {
    const { bytes } = frame(message())
    const [[first], [second]] = [unframe(bytes), unframe(bytes)]
    expect(first?.dedupKeys?.[0]).toMatch(/^stream /)
    expect(second?.dedupKeys).toEqual(first?.dedupKeys)
    expect(unframe(frame(message()).bytes)[0]?.dedupKeys).not.toEqual(first?.dedupKeys)
    const timed = message({
      packets: [{ identifier: 'pump-1', data: { ok: true }, time: '2026-06-15T11:00:00Z' }],
    })
    expect(unframe(frame(timed).bytes)[0]?.dedupKeys).toEqual([undefined])
  })

  it('is recognised at the door by connector, device and key', () => {
    const id = (over: Partial<InboundMessage>) => messageIdOf(message({ dedupKeys: ['k'], ...over }))
    expect(id({})).toBe(id({ raw: 'other' }))
    expect(id({ connector: { id: 8, accountId: 3 } })).not.toBe(id({}))
    expect(id({ packets: [{ identifier: 'pump-2', data: {} }] })).not.toBe(id({}))
    expect(messageIdOf(message())).toBeUndefined()
  })

  it('goes into the partition of its device', () => {
    const of = (identifier: string) => partitionOf(7, { identifier, data: {} })
    expect(of('pump-1')).toBe(of('pump-1'))
    const found = new Set(Array.from({ length: 2000 }, (_, index) => of(`pump-${index}`)))
    expect(found.size).toBe(partitionCount)
    expect(Math.max(...found)).toBe(partitionCount - 1)
  })
})
