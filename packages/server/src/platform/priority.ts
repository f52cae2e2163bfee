import { spawnSync } from 'node:child_process'
import { findProgram } from './programs.ts'

/**
 * Of a process that runs user code. `aside`: the server, live traffic and the database come first. `last`: it
 * only gets processor time that nothing else wants, and gives it up at once; for accounts that take much.
 */
export type Priority = 'usual' | 'aside' | 'last'

let launchers: Readonly<Record<Priority, readonly string[]>> | undefined

/**
 * SCHED_IDLE, set with `chrt` of util-linux. Low niceness alone is not enough: a process that becomes ready
 * still waits until the one that runs has used up its slice of some milliseconds, and an uplink wakes several
 * processes.
 */
function idling(): string[] {
  const chrt = process.platform === 'linux' ? findProgram('chrt') : undefined
  if (chrt === undefined) return []
  const idle = [chrt, '-i', '0']
  const isAllowed = spawnSync(chrt, [...idle.slice(1), chrt, '--help'], { env: {} }).status === 0
  return isAllowed ? idle : []
}

/** The programs that start another one with each priority, where they are there. */
function findLaunchers() {
  const nice = findProgram('nice')
  const niceness = (by: number) => (nice === undefined ? [] : [nice, '-n', String(by)])
  return { usual: [], aside: niceness(10), last: [...niceness(19), ...idling()] }
}

/**
 * The command line that starts a program with this priority, which all its threads and children inherit. It
 * only ever lowers its own priority, so no rights are needed.
 *
 * The program must stay in our session (not `detached`): Linux may share the processors between sessions
 * first (autogroup), and then priorities only count within one.
 */
export function withPriority(
  priority: Priority,
  program: string,
  args: readonly string[],
): [string, string[]] {
  launchers ??= findLaunchers()
  const [first = program, ...others] = [...launchers[priority], program, ...args]
  return [first, others]
}
