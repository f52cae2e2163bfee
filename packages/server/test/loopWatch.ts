import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How often the loop is looked at; a hold shorter than this may go unseen. */
const everyMs = 2

export interface LoopWatch extends Disposable {
  /** the longest time for which nothing else got its turn, in milliseconds of processor time of this thread */
  longestMs(): number
  /** Forgets what was measured so far. */
  reset(): void
}

/**
 * Watches the event loop of this thread: between two of its turns a server answers nobody. What counts is the processor
 * time spent in between, not the time on the wall: a machine that is busy with something else must not fail a test.
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
      // The hold that is under way, or has just ended, counts as well.
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

/** Collects what earlier tests of this process left behind: a collection of theirs must not count as a hold. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
