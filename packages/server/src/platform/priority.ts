import { spawnSync } from 'node:child_process'
import { setPriority } from 'node:os'
import { findProgram } from './programs.ts'

/**
 * Of a process that runs user code. `aside`: the server, live traffic and the database come first. `last`: it
 * only gets processor time that nothing else wants, and gives it up at once; for accounts that take much.
 */
export type Priority = 'usual' | 'aside' | 'last'

const niceness: Readonly<Record<Priority, number>> = { usual: 0, aside: 5, last: 19 }

let found: { chrt: string | undefined } | undefined

/** The program that changes the scheduling of others (util-linux), if it is there and allowed to. */
function schedulingProgram(): string | undefined {
  if (found === undefined) {
    const chrt = process.platform === 'linux' ? findProgram('chrt') : undefined
    const works = chrt !== undefined && spawnSync(chrt, [...idle, chrt, '--help'], { env: {} }).status === 0
    found = { chrt: works ? chrt : undefined }
  }
  return found.chrt
}

/**
 * SCHED_IDLE. Low niceness alone is not enough: a process that becomes ready still waits until the one that
 * runs has used up its slice of some milliseconds, and an uplink wakes several processes.
 */
const idle = ['-i', '0']

/**
 * The command line that starts a program with this priority.
 *
 * The program must stay in our session (not `detached`): Linux may share the processors between sessions
 * first (autogroup), and then priorities only count within one.
 */
export function withPriority(
  priority: Priority,
  program: string,
  args: readonly string[],
): [string, string[]] {
  const chrt = priority === 'last' ? schedulingProgram() : undefined
  return chrt === undefined ? [program, [...args]] : [chrt, [...idle, program, ...args]]
}

/**
 * Gives a process that has just started the niceness of its priority; its children inherit it.
 * @param pid undefined: it could not be started
 */
export function setNiceness(pid: number | undefined, priority: Priority): void {
  if (pid === undefined || priority === 'usual') return
  try {
    setPriority(pid, niceness[priority])
  } catch (error) {
    // ESRCH: the process has already ended, which is handled elsewhere. EACCES, EPERM: not ours to change, as for
    // root in a container, which may lack the right to change the priority of other users' processes.
    const code = (error as { info?: { code?: string } }).info?.code ?? ''
    if (!['ESRCH', 'EACCES', 'EPERM'].includes(code)) throw error
  }
}
