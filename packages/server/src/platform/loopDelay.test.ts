import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { LoopDelay } from './loopDelay.ts'
import { Metrics } from './metrics.ts'

/** Blocks the event loop. */
function hold(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}

test('a loop that is held again and again is slow, what was begun last is named, and both are forgotten', async () => {
  using metrics = new Metrics()
  using loop = new LoopDelay(createLog('silent'), metrics)
  loop.start()
  for (let n = 0; n < 4; n++) {
    loop.note(() => 'POST /api/slow')
    hold(300)
    await delay(30)
  }
  loop.sum()
  expect(loop.delays).toMatchObject({ isSlow: true, longest: { 'POST /api/slow': expect.any(Number) } })
  expect(loop.delays.max).toBeGreaterThan(0.2)
  const text = await metrics.registry.metrics()
  expect(text).toMatch(/leitstand_event_loop_delay_seconds\{quantile="1"\} 0\.[2-9]/)
  expect(text).toMatch(/leitstand_event_loop_slow 1/)
  loop.sum()
  expect(loop.delays).toMatchObject({ isSlow: false, longest: {} })
})
