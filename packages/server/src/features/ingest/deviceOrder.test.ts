import { describe, expect, it } from 'vitest'
import { DeviceOrder } from './deviceOrder.ts'
import type { InboundMessage } from './types.ts'

const message = (identifier: string, raw: string): InboundMessage => ({
  connector: { id: 1, accountId: 1 },
  packets: [{ identifier, data: {} }],
  raw,
  receivedAt: new Date(0),
})

function setUp() {
  const order = new DeviceOrder()
  const queue: string[] = []
  const push = async (given: InboundMessage) => {
    queue.push(given.raw)
    return given.raw
  }
  const late = (given: InboundMessage) => {
    const { promise, resolve, reject } = Promise.withResolvers<InboundMessage>()
    const stored = order.run(given, promise, push)
    return { stored, finish: () => resolve(given), fail: () => reject(new Error('no')) }
  }
  const ready = (given: InboundMessage) => order.run(given, given, push)
  return { queue, late, ready }
}

describe('messages of a device', () => {
  it('wait for an earlier one that is still being prepared; those of other devices do not', async () => {
    const { queue, late, ready } = setUp()
    const first = late(message('a', 'a1'))
    const second = ready(message('a', 'a2'))
    const third = late(message('a', 'a3'))
    third.finish()
    await ready(message('b', 'b1'))
    expect(queue).toEqual(['b1'])
    first.finish()
    expect(await Promise.all([first.stored, second, third.stored])).toEqual(['a1', 'a2', 'a3'])
    expect(queue).toEqual(['b1', 'a1', 'a2', 'a3'])
  })

  it('go on after one that could not be prepared', async () => {
    const { queue, late, ready } = setUp()
    const first = late(message('a', 'a1'))
    const second = ready(message('a', 'a2'))
    first.fail()
    await expect(first.stored).rejects.toThrow('no')
    expect(await second).toBe('a2')
    expect(queue).toEqual(['a2'])
  })

  it('are pushed at once when nothing is being prepared', async () => {
    const { queue, late, ready } = setUp()
    const first = late(message('a', 'a1'))
    first.finish()
    await first.stored
    const second = ready(message('a', 'a2'))
    expect(queue).toEqual(['a1', 'a2'])
    await second
  })
})
