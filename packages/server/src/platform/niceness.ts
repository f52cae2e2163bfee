import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { descendantsOf } from './sandbox/bubblewrap.ts'

/** For processes that run user code: the server, live traffic and the database have priority. */
const asideNiceness = 5

/** The kernel accepts one change per 100 ms from processes without special rights. */
const retryMs = 150
const attemptsMax = 20

/**
 * Lowers the CPU priority of a process that has just started, and of its future children.
 * @param pid undefined: the process could not be started
 * @param isSession whether the process leads a session of its own (`detached`)
 */
export function stepAside(pid: number | undefined, isSession: boolean): void {
  if (pid === undefined) return
  lower(pid)
  if (!isSession || process.platform !== 'linux') return
  lowerSession(pid)
  // Those it has started in the meantime; later ones inherit the priority.
  for (const child of childrenOf(pid)) lower(child)
}

function lower(pid: number): void {
  try {
    setPriority(pid, asideNiceness)
  } catch (error) {
    // ESRCH: the process has already ended, which is handled elsewhere. EACCES, EPERM: not ours to change, as for
    // root in a container, which may lack the right to change the priority of other users' processes.
    const code = (error as { info?: { code?: string } }).info?.code ?? ''
    if (!['ESRCH', 'EACCES', 'EPERM'].includes(code)) throw error
  }
}

function childrenOf(pid: number): number[] {
  try {
    return descendantsOf(pid)
  } catch (error) {
    // One of them has already ended.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

/**
 * Lowers the priority of a session. Linux may share the processors between sessions first (autogroup): the
 * niceness of a process then only counts within its session.
 */
function lowerSession(pid: number, attempt = 1): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(asideNiceness))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EAGAIN' && attempt < attemptsMax)
      setTimeout(() => lowerSession(pid, attempt + 1), retryMs).unref()
    // EAGAIN: many start at once. ENOENT, ESRCH: the kernel has no such groups, or the process has ended.
    // EACCES, EPERM, EROFS: not ours to change. Its niceness still counts where sessions are not scheduled as groups.
    else if (!['EAGAIN', 'ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'EROFS'].includes(code ?? '')) throw error
  }
}
