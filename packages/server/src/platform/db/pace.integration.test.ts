import { expect, test } from 'vitest'
import { startApp } from '../../../test/kit.ts'
import { reserveTurn } from './pace.ts'

const { ctx } = await startApp()
const reserve = (name: string, intervalMs: number, waitMaxMs: number) =>
  reserveTurn(ctx.db, name, { intervalMs, waitMaxMs })

test('turns follow each other at the interval, and none is given out twice', async () => {
  const hour = 3_600_000
  expect(await reserve('one', hour, 3 * hour)).toBe(0)
  const waits = await Promise.all([1, 2, 3, 4, 5].map(() => reserve('one', hour, 3 * hour)))
  const given = waits.filter((wait) => wait !== null).map((wait) => Math.ceil(wait / hour))
  expect(given.sort()).toEqual([1, 2, 3])
  expect(await reserve('other', hour, 0)).toBe(0)
})

test('a turn that has passed costs nothing', async () => {
  expect(await reserve('short', 0, 0)).toBe(0)
  expect(await reserve('short', 0, 0)).toBe(0)
})
