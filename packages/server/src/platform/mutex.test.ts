import { describe, expect, it } from 'vitest'
import { Mutexes } from './mutex.ts'

describe('mutexes', () => {
  it('run work with a key in common one after the other, other work beside it, and go on after a failure', async () => {
    const mutexes = new Mutexes<number>()
    const log: string[] = []
    const gate = Promise.withResolvers<void>()
    const first = mutexes.run([1, 2], async () => {
      log.push('first begins')
      await gate.promise
      log.push('first ends')
      throw new Error('failed')
    })
    const second = mutexes.run([2, 3], async () => log.push('second'))
    const beside = mutexes.run([4], async () => log.push('beside'))
    await beside
    expect(log).toEqual(['first begins', 'beside'])
    gate.resolve()
    await expect(first).rejects.toThrow('failed')
    await second
    expect(log).toEqual(['first begins', 'beside', 'first ends', 'second'])
  })
})
