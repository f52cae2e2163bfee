import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Derived, DerivedCache } from './derivedCache.ts'

interface Answer {
  resolve(read: Derived<string> | undefined): void
  reject(error: Error): void
}

/** A cache whose readings are answered by the test. */
function cacheOf(max = 10, sizeOf?: (value: string) => number) {
  const asked: (Answer & { key: string })[] = []
  const cache = new DerivedCache<string, string>({
    max,
    ...(sizeOf && { sizeOf }),
    ttlMs: 0,
    read: (key) => {
      const { promise, resolve, reject } = Promise.withResolvers<Derived<string> | undefined>()
      asked.push({ key, resolve, reject })
      return promise
    },
  })
  const next = (): Answer => {
    const first = asked.shift()
    if (!first) throw new Error('nothing is being read')
    return first
  }
  const ask = async (key: string) => (await cache.get(key))?.value
  const hold = async (key: string, value: string, ...grounds: string[]) => {
    const reading = cache.get(key)
    next().resolve(derived(value, ...grounds))
    await reading
  }
  return { cache, asked, next, ask, hold }
}
const derived = (value: string, ...grounds: string[]) => ({ value, grounds: new Set(grounds) })
const changed = (...grounds: string[]) => new Set(grounds)

describe('a cache of what was computed', () => {
  test('drops what was not used for longest when all together are too large', async () => {
    const { cache, hold } = cacheOf(10, (value) => value.length)
    await hold('a', 'aaaa')
    await hold('b', 'bbbb')
    await hold('c', 'ccc')
    expect(['a', 'b', 'c'].map((key) => cache.known(key))).toEqual([undefined, 'bbbb', 'ccc'])
    await hold('d', 'dddddddddd')
    expect(['b', 'c', 'd'].map((key) => cache.known(key))).toEqual([undefined, undefined, 'dddddddddd'])
  })

  test('reads once, until a ground has changed', async () => {
    const { cache, next, ask, hold } = cacheOf()
    await hold('ann', 'old', 'role 1', 'user 1')
    await hold('bob', 'kept', 'role 2')
    expect(cache.known('ann')).toBe('old')
    cache.forget(changed('role 1', 'role 3'))
    expect([cache.known('ann'), cache.known('bob')]).toEqual([undefined, 'kept'])
    const again = ask('ann')
    next().resolve(derived('new', 'role 1'))
    expect(await again).toBe('new')
    cache.forget('*')
    expect([cache.known('ann'), cache.known('bob')]).toEqual([undefined, undefined])
  })

  test('shares a reading', async () => {
    const { asked, next, ask } = cacheOf()
    const both = [ask('ann'), ask('ann')]
    next().resolve(derived('one'))
    expect(await Promise.all(both)).toEqual(['one', 'one'])
    expect(asked).toEqual([])
  })

  test('keeps what a change during the reading does not concern', async () => {
    const { cache, asked, next, ask } = cacheOf()
    const before = ask('ann')
    cache.forget(changed('role 2'))
    const after = ask('ann')
    next().resolve(derived('one', 'role 1'))
    expect([await before, await after, cache.known('ann')]).toEqual(['one', 'one', 'one'])
    expect(asked).toEqual([])
  })

  test.each([['a ground', changed('role 1')] as const, ['anything', '*'] as const])(
    'does not keep what was being read when %s changed, nor give it to who asks later',
    async (_what, change) => {
      const { cache, next, ask } = cacheOf()
      const before = ask('ann')
      cache.forget(change)
      const after = ask('ann')
      next().resolve(derived('old', 'role 1'))
      expect(await before).toBe('old')
      expect(cache.known('ann')).toBeUndefined()
      await Promise.resolve()
      next().resolve(derived('new', 'role 1'))
      expect([await after, cache.known('ann')]).toEqual(['new', 'new'])
    },
  )

  test('remembers changes for as long as something is read that began before', async () => {
    const { cache, next, ask } = cacheOf()
    const [ann, bob] = [ask('ann'), ask('bob')]
    const [first, second] = [next(), next()]
    cache.forget(changed('role 1'))
    const eve = ask('eve')
    const third = next()
    cache.forget(changed('role 2'))
    first.resolve(derived('ann'))
    await ann
    second.resolve(derived('bob', 'role 1'))
    third.resolve(derived('eve', 'role 1'))
    expect([await bob, await eve]).toEqual(['bob', 'eve'])
    expect([cache.known('ann'), cache.known('bob'), cache.known('eve')]).toEqual(['ann', undefined, 'eve'])
  })

  test('keeps neither failures nor that there is nothing', async () => {
    const { next, ask } = cacheOf()
    const failing = ask('ann')
    next().reject(new Error('away'))
    await expect(failing).rejects.toThrow('away')
    const missing = ask('ann')
    next().resolve(undefined)
    expect(await missing).toBeUndefined()
    const there = ask('ann')
    next().resolve(derived('there'))
    expect(await there).toBe('there')
  })

  test('looks itself if another reading found nothing', async () => {
    const { next, ask } = cacheOf()
    const [before, after] = [ask('ann'), ask('ann')]
    next().resolve(undefined)
    expect(await before).toBeUndefined()
    await Promise.resolve()
    next().resolve(derived('new'))
    expect(await after).toBe('new')
  })

  test('never keeps what is out of date, whatever happens in which order', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('ask' as const), key: fc.nat(2) }),
        fc.record({ kind: fc.constant('change' as const), ground: fc.nat(2) }),
        fc.record({ kind: fc.constant('answer' as const), which: fc.nat(5) }),
      ),
      { maxLength: 40 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        /** Every key depends on the ground of its number and that of the next one. */
        const versions = [0, 0, 0]
        const groundsOf = (key: number) => [key, (key + 1) % 3]
        const stateOf = (key: number) =>
          groundsOf(key)
            .map((ground) => versions[ground])
            .join()
        const open: (() => void)[] = []
        const cache = new DerivedCache<number, string, never>({
          max: 2,
          ttlMs: 0,
          read: (key) => {
            const read = { value: stateOf(key), grounds: new Set(groundsOf(key).map(String)) }
            return new Promise((resolve) => open.push(() => resolve(read)))
          },
        })
        const answers: Promise<void>[] = []
        for (const step of all) {
          if (step.kind === 'ask') {
            const asked = stateOf(step.key).split(',').map(Number)
            answers.push(
              cache.get(step.key).then(({ value }) => {
                const got = value.split(',').map(Number)
                expect(got.every((version, index) => version >= (asked[index] ?? 0))).toBe(true)
              }),
            )
          } else if (step.kind === 'change') {
            versions[step.ground] = (versions[step.ground] ?? 0) + 1
            cache.forget(changed(String(step.ground)))
          } else open.splice(step.which, 1)[0]?.()
          await new Promise(setImmediate)
          for (const key of [0, 1, 2]) expect([undefined, stateOf(key)]).toContain(cache.known(key))
        }
        while (open.length > 0) {
          open.shift()?.()
          await new Promise(setImmediate)
        }
        await Promise.all(answers)
      }),
      { numRuns: 300 },
    )
  })
})
