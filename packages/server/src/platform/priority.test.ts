import { execFileSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { type Priority, withPriority } from './priority.ts'
import { findProgram } from './programs.ts'

/** Of the program that reads it: fields 19 and 41 of the file; the policy SCHED_IDLE is 5. */
function schedulingWith(priority: Priority): { niceness: number; policy: number } {
  const stat = execFileSync(...withPriority(priority, '/bin/cat', ['/proc/self/stat']), { encoding: 'utf8' })
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { niceness: Number(fields[16]), policy: Number(fields[38]) }
}

test.runIf(process.platform === 'linux')('only what runs last gives up the processor at once', () => {
  const own = getPriority()
  expect(schedulingWith('usual')).toEqual({ niceness: own, policy: 0 })
  expect(schedulingWith('aside')).toEqual({ niceness: Math.min(own + 10, 19), policy: 0 })
  const policy = findProgram('chrt') === undefined ? 0 : 5
  expect(schedulingWith('last')).toEqual({ niceness: 19, policy })
})
