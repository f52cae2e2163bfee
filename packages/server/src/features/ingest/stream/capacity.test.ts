import { describe, expect, it, test } from 'vitest'
import { isStreamFull, isStreamHalfFull, messagesOf } from './capacity.ts'

const mb = 1_048_576
const bytesMax = 1024 * mb
const state = (messages: number, bytes: number, first = 1) => ({
  first_seq: first,
  last_seq: first + messages - 1,
  messages,
  bytes,
})

describe('messagesOf', () => {
  it('assumes 2 kB for each until there are enough', () => {
    expect(messagesOf(bytesMax, null, 0, 0)).toBe(524_288)
    expect(messagesOf(bytesMax, state(9_999, 9_999), 524_288, 0)).toBe(524_288)
    expect(messagesOf(16 * mb, null, 0, 0)).toBe(100_000)
  })

  it('follows their average length, but not every change of it', () => {
    const long = state(400_000, 400_000 * 8_192)
    expect(messagesOf(bytesMax, long, 524_288, 0)).toBe(131_072)
    expect(messagesOf(bytesMax, state(400_000, 400_000 * 2_300), 524_288, 0)).toBe(524_288)
    expect(messagesOf(bytesMax, state(400_000, 400_000 * 256), 524_288, 0)).toBe(4_194_304)
  })

  it('leaves room for what waits', () => {
    expect(messagesOf(bytesMax, state(400_000, 400_000 * 8_192), 524_288, 100_000)).toBe(200_000)
  })
})

describe('isStreamFull', () => {
  it('is not while nothing waits, whatever it holds', () => {
    expect(isStreamFull(bytesMax, state(500_000, 3 * bytesMax, 7), 524_288, 500_006)).toBe(false)
    expect(isStreamFull(bytesMax, state(0, 0), 524_288, 0)).toBe(false)
  })

  it('is when nearly as many messages wait as it holds, before the oldest of them are removed', () => {
    const held = state(524_288, 100 * mb, 1_000_001)
    const last = held.last_seq
    expect(isStreamFull(bytesMax, held, 524_288, last - 400_000)).toBe(false)
    expect(isStreamFull(bytesMax, held, 524_288, last - 458_752)).toBe(true)
  })

  it('is when what waits has the bytes it may have', () => {
    const held = state(1_000, 1_000 * mb)
    expect(isStreamFull(500 * mb, held, 100_000, 600)).toBe(false)
    expect(isStreamFull(500 * mb, held, 100_000, 400)).toBe(true)
    // Few that wait among many that were stored may be far longer than the average.
    expect(isStreamFull(400 * mb, held, 100_000, 999)).toBe(true)
  })
})

test('a stream is half full when half of what it holds waits', () => {
  const held = state(524_288, 100 * mb, 1_000_001)
  expect(isStreamHalfFull(held, 524_288, held.last_seq - 262_143)).toBe(false)
  expect(isStreamHalfFull(held, 524_288, held.last_seq - 262_144)).toBe(true)
  expect(isStreamHalfFull(state(0, 0), 524_288, 0)).toBe(false)
})
