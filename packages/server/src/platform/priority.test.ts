import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type Priority, withPriority } from './priority.ts'
import { findProgram } from './programs.ts'

/** Scheduling policy of the program that reads it; field 41 of the file, SCHED_IDLE is 5. */
function policyWith(priority: Priority): number {
  const stat = execFileSync(...withPriority(priority, '/bin/cat', ['/proc/self/stat']), { encoding: 'utf8' })
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38])
}

test.runIf(process.platform === 'linux')('only what runs last gives up the processor at once', () => {
  expect(policyWith('usual')).toBe(0)
  expect(policyWith('aside')).toBe(0)
  expect(policyWith('last')).toBe(findProgram('chrt') === undefined ? 0 : 5)
})
