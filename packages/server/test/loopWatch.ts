import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { slowness } from './speed.ts'

/** Sampling interval; a shorter block may be missed. */
const everyMs = 2
/** Maximum time that anything from outside may block the event loop, in milliseconds of processor time. */
export const heldMsMax = 50
const triesMax = 6

export interface LoopWatch extends Disposable {
  /** the longest block of the event loop, in milliseconds of processor time of this thread */
  longestMs(): number
  /** Clears the measurement. */
  reset(): void
}

/**
 * Measures how long the event loop of this thread is blocked. Counts processor time, not wall-clock time:
 * other load on the machine must not fail a test.
 */
export function watchLoop(): LoopWatch {
  collectGarbage()
  let longest = 0
  let usedMs = threadMs()
  const look = (): void => {
    const nowMs = threadMs()
    longest = Math.max(longest, nowMs - usedMs)
    usedMs = nowMs
  }
  const timer = setInterval(look, everyMs)
  timer.unref()
  return {
    longestMs: () => {
      // Include a block that is in progress or has just ended.
      look()
      return longest
    },
    reset: () => {
      longest = 0
      usedMs = threadMs()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/**
 * The shortest block of the event loop in several tries, in milliseconds of processor time on a machine of the usual
 * speed: a single one may include compilation or garbage collection. Ends with the first below `heldMsMax`.
 */
export async function heldBy(attempt: () => Promise<unknown>): Promise<number> {
  using watch = watchLoop()
  let best = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < triesMax && best >= heldMsMax; tries++) {
    if (tries > 0) collectGarbage()
    watch.reset()
    await attempt()
    const heldMs = watch.longestMs()
    best = Math.min(best, heldMs < heldMsMax ? heldMs : heldMs / slowness())
  }
  return best
}

/** Collects the garbage of earlier work, so that it does not count as a hold. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
