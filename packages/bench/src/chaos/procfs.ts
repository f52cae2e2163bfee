import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A process from `/proc`. Pids are reused; together with the start time they are unique. */
export interface Process {
  pid: number
  parent: number
  /** ticks from the start of the machine */
  startedAt: number
  /** its arguments, with spaces between them */
  command: string
  /** R, S, D, T (stopped), Z (ended, not yet collected) … */
  state: string
}

/** Whether `/proc` has the expected format. */
export const hasProcfs = existsSync('/proc/self/stat')

/** Parses `/proc/<pid>/stat` and `/proc/<pid>/cmdline`. */
export function parseProcess(pid: number, stat: string, commandLine: string): Process {
  // The name is in parentheses and may itself contain parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return {
    pid,
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    startedAt: Number(fields[19]),
    command: commandLine.replaceAll('\0', ' ').trim(),
  }
}

/** All running processes, without zombies. */
export function listProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const read = (file: string) => readFileSync(`/proc/${name}/${file}`, 'utf8')
        const process = parseProcess(Number(name), read('stat'), read('cmdline'))
        return process.state === 'Z' ? [] : [process]
      } catch {
        return [] // it has ended
      }
    })
}

/** The processes below one, at any depth. */
export function descendantsOf(pid: number, processes: readonly Process[]): Process[] {
  const byParent = Map.groupBy(processes, ({ parent }) => parent)
  const found: Process[] = []
  const open = [pid]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const children = byParent.get(next) ?? []
    found.push(...children)
    open.push(...children.map((child) => child.pid))
  }
  return found
}

export function isSame(one: Process, other: Process): boolean {
  return one.pid === other.pid && one.startedAt === other.startedAt
}

/** Sends a signal, if the process still exists. @returns whether it did */
export function signalTo(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
