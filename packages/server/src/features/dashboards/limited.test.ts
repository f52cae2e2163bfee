import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mapLimited } from './limited.ts'

it('keeps the order and the limit whatever finishes first (seed 20261120)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.integer({ min: 1, max: 6 }),
      async (scheduler, items, limit) => {
        let running = 0
        let most = 0
        const all = mapLimited(items, limit, async (item) => {
          most = Math.max(most, ++running)
          await scheduler.schedule(Promise.resolve())
          running--
          return item + 1
        })
        await scheduler.waitFor(all)
        expect(await all).toEqual(items.map((item) => item + 1))
        expect(most).toBeLessThanOrEqual(Math.min(limit, items.length))
      },
    ),
    { seed: 20_261_120, numRuns: 50 },
  )
})

it('throws the first failure', async () => {
  const failing = mapLimited([1, 2, 3], 2, async (item) => {
    if (item === 2) throw new Error('two')
    return item
  })
  await expect(failing).rejects.toThrow('two')
})
