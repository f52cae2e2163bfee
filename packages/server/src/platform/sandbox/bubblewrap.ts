import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { type Priority, withPriority } from '../priority.ts'

const run = promisify(execFile)

/** The program's user id inside the sandbox: nobody, whatever it is outside. */
const innerId = '65534'

/** The programs that create a sandbox. */
export interface SandboxTools {
  bubblewrap: string
  /** of util-linux */
  prlimit: string
}

/** Operating system limits for every process of a sandbox. */
export interface SandboxLimits {
  addressSpaceBytes: number
  dataBytes: number
  openFiles: number
  /** maximum size of a written file */
  fileBytes: number
  /** CPU time after which the process ends */
  cpuSeconds: number
  /** size of its /tmp, the only writable place */
  tmpBytes: number
}

export interface Sandbox {
  program: string
  args: readonly string[]
  environment: Readonly<Record<string, string>>
  /** files and folders of this machine to mount read-only */
  readOnly: readonly string[]
  /** additional files that exist only in the sandbox */
  files?: readonly { path: string; content: Uint8Array }[]
  limits: SandboxLimits
  /** the result of `seccompFilter` */
  seccomp: Uint8Array
  /** user and group outside; null: those of this process, which must not be root then */
  uid: number | null
}

/**
 * Starts a program in isolation: its own namespaces for users, processes, network, IPC and host name, no
 * capabilities, only the given environment, a file system of `readOnly`, `files`, /dev/null and an empty
 * /tmp, a seccomp filter, and operating system limits. It ends with this process.
 * @param stdio as for `spawn`; the descriptors after the last one are used internally
 * @throws Error if it would run as root
 */
export function startSandbox(
  tools: SandboxTools,
  sandbox: Sandbox,
  stdio: Exclude<StdioOptions, string>,
  priority: Priority = 'aside',
): ChildProcess {
  const { environment, files = [], limits, uid } = sandbox
  if (uid === 0 || (uid === null && process.getuid?.() === 0)) throw new Error('A sandbox never runs as root')
  const given = [...files.map(({ content }) => content), sandbox.seccomp]
  const isolation = [
    ...['--unshare-all', '--uid', innerId, '--gid', innerId, '--hostname', 'sandbox'],
    ...['--die-with-parent', '--cap-drop', 'ALL', '--clearenv'],
    // First, or it would cover the mounts below it.
    ...['--size', String(limits.tmpBytes), '--tmpfs', '/tmp'],
    ...sandbox.readOnly.flatMap((path) => ['--ro-bind', path, path]),
    ...files.flatMap(({ path }, index) => ['--ro-bind-data', String(stdio.length + index), path]),
    ...['--dev-bind', '/dev/null', '/dev/null', '--remount-ro', '/', '--chdir', '/tmp'],
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--seccomp', String(stdio.length + files.length)],
  ]
  const args = [...boundsOf(limits), '--', tools.bubblewrap, ...isolation, sandbox.program, ...sandbox.args]
  const child = spawn(...withPriority(priority, tools.prlimit, args), {
    env: {},
    cwd: '/',
    stdio: [...stdio, ...given.map(() => 'pipe' as const)],
    ...userOf(uid),
  })
  for (const [index, content] of given.entries()) {
    const pipe = child.stdio[stdio.length + index] as Writable | null
    // A program that failed to start reads nothing; its exit reports that.
    pipe?.on('error', () => undefined)
    pipe?.end(content)
  }
  return child
}

function userOf(uid: number | null): { uid?: number; gid?: number } {
  return uid === null ? {} : { uid, gid: uid }
}

function boundsOf(limits: SandboxLimits): string[] {
  const bounds = {
    core: 0,
    as: limits.addressSpaceBytes,
    data: limits.dataBytes,
    nofile: limits.openFiles,
    fsize: limits.fileBytes,
    cpu: limits.cpuSeconds,
  }
  return Object.entries(bounds).map(([name, value]) => `--${name}=${value}:${value}`)
}

/**
 * Forbids a running sandbox to start any further process or thread. It must not have run user code before.
 * @returns the pid of the program itself, outside of the sandbox
 * @throws Error if this fails; the sandbox must not be used then
 */
export async function sealSandbox(
  { prlimit }: SandboxTools,
  { uid }: Pick<Sandbox, 'uid'>,
  child: ChildProcess,
): Promise<number> {
  const outer = child.pid
  if (outer === undefined) throw new Error('The sandbox did not start')
  const all = [outer, ...descendantsOf(outer)]
  // bubblewrap, its first process in the sandbox, and the program.
  const program = all[2]
  if (program === undefined) throw new Error('The program of the sandbox is not there')
  // As the user of the sandbox: root in a container may lack the right to change the limits of other users'
  // processes.
  const asUser = { env: {}, ...userOf(uid) }
  await Promise.all(all.slice(1).map((pid) => run(prlimit, ['--pid', String(pid), '--nproc=1:1'], asUser)))
  if (descendantsOf(outer).length !== all.length - 1)
    throw new Error('The sandbox started a process in the meantime')
  return program
}

/** Descendants of a process, nearest first. */
export function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number)
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

/** CPU time of a process so far, from the kernel. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may contain anything; user and system time are fields 12 and 13 after it, in
  // ticks of 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
