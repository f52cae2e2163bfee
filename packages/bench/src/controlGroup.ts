import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the processors are divided: version 1 of control groups has a tree of its own for them. */
const trees = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup']

/**
 * Moves this process, and all that it starts from now on, into a control group, as a container or the unit for systemd
 * does: outside of one Linux may divide the processors between sessions before it looks at priorities. Its disposal moves
 * this process back; the group is deleted when its last process has ended.
 * @returns null where groups cannot be made, e.g. without root
 */
export function ownControlGroup(): Disposable | null {
  const tree = trees.find((path) => existsSync(join(path, 'cgroup.procs')))
  if (tree === undefined) return null
  const path = join(tree, `leitstand-bench-${process.pid}`)
  try {
    mkdirSync(path)
    writeFileSync(join(path, 'cgroup.procs'), String(process.pid))
  } catch (error) {
    if (isRefused(error)) return null
    throw error
  }
  return {
    [Symbol.dispose]() {
      writeFileSync(join(tree, 'cgroup.procs'), String(process.pid))
      try {
        rmdirSync(path)
      } catch (error) {
        // A process that is still ending; the empty group does no harm.
        if (codeOf(error) !== 'EBUSY') throw error
      }
    },
  }
}

function isRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS', 'EINVAL', 'ENOENT'].includes(codeOf(error) ?? '')
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
