import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { watchLoop } from './loopWatch.ts'

function spend(ms: number): void {
  const used = () => (process.threadCpuUsage().user + process.threadCpuUsage().system) / 1000
  const endMs = used() + ms
  while (used() < endMs);
}

test('the longest hold of the loop is recorded, not the sum of short ones', async () => {
  using watch = watchLoop()
  for (let n = 0; n < 20; n++) {
    spend(5)
    await turn()
  }
  expect(watch.longestMs()).toBeLessThan(80)
  spend(90)
  await turn()
  spend(5)
  expect(watch.longestMs()).toBeGreaterThanOrEqual(90)
  watch.reset()
  await turn()
  expect(watch.longestMs()).toBeLessThan(80)
})
