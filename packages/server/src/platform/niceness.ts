import { setPriority } from 'node:os'

/** Of processes that run what users brought along: the server, live traffic and the database go first. */
const asideNiceness = 5

/**
 * Lets a process that was just started, and those it will start, have only the processor time that others leave.
 * @param pid undefined: it could not be started
 */
export function stepAside(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, asideNiceness)
  } catch (error) {
    // It has ended already, which is noticed elsewhere.
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error
  }
}
