import { setPriority } from 'node:os'

/** For processes that run user code: the server, live traffic and the database have priority. */
const asideNiceness = 5

/**
 * Lowers the CPU priority of a process that has just started, and of its future children.
 * @param pid undefined: the process could not be started
 */
export function stepAside(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    setPriority(pid, asideNiceness)
  } catch (error) {
    // The process has already ended, which is handled elsewhere.
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error
  }
}
