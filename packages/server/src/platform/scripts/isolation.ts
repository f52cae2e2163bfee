/**
 * How sandbox processes are isolated from everything except their pipe, best way first. A process holds
 * nothing worth stealing (no environment, only its own descriptors) and Node itself denies it files, programs
 * and threads; where bubblewrap works it also sees an empty file system, no network and no other process, and
 * the kernel allows only a few system calls. So a vulnerability in V8 does not compromise the platform.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type Priority, withPriority } from '../priority.ts'
import { findProgram } from '../programs.ts'
import { hasSeccomp, seccompFilter } from '../sandbox/seccomp.ts'
import { sandboxModules } from './modules.ts'
import { nodePolicy } from './nodePolicy.ts'

const SCRIPTS = fileURLToPath(new URL('.', import.meta.url))
const ENTRY = fileURLToPath(new URL('./sandbox/begin.js', import.meta.url))
const PACKAGE = fileURLToPath(new URL('../../../package.json', import.meta.url))
/** The user `nobody`, which owns nothing. */
const NOBODY = 65534

/** Descriptors of a sandbox process besides its input: its pipe, its mark file, and bubblewrap's output and seccomp filter. */
export const FD = { pipe: 3, mark: 4, info: 5, seccomp: 6 } as const

export interface Isolation {
  /** for the log */
  readonly name: string
  /** whether it runs under bubblewrap, which then reports the pid of the sandbox on FD.info */
  readonly wrapped: boolean
  start(markFd: number, priority: Priority): ChildProcess
}

/** The isolations that might work here, best first. */
export function isolations(path = process.env.PATH ?? ''): Isolation[] {
  const isRoot = process.getuid?.() === 0
  const bwrap = process.platform === 'linux' ? findProgram('bwrap', path) : undefined
  const prlimit = findProgram('prlimit', path)
  const users = isRoot ? [NOBODY, undefined] : [undefined]
  const found = users.map((user) => plain(user))
  if (bwrap === undefined) return found
  return [...users.map((user) => wrapped(bwrap, prlimit, user)), ...found]
}

/** Files a sandbox process has to read when it starts: its own code and the packages it needs. */
function readable(): string[] {
  const require = createRequire(import.meta.url)
  const fromIvm = createRequire(require.resolve('isolated-vm/package.json'))
  const packages = ['isolated-vm', 'acorn', 'buffer', 'base64-js', 'ieee754', 'lodash'].map((name) =>
    require.resolve(`${name}/package.json`),
  )
  const helper = fromIvm.resolve('node-gyp-build/package.json')
  return [SCRIPTS, PACKAGE, ...[...packages, helper].map((file) => join(dirname(file), '/'))]
}

/** The flags that deny a Node process everything a sandbox does not need. */
export function nodeFlags(): string[] {
  // Node looks here first for a package; npm makes the folder only for packages in another version than the rest.
  const own = join(dirname(PACKAGE), 'node_modules', '/')
  // The helper of isolated-vm checks whether the last file exists.
  const files = [...readable(), own, '/etc/alpine-release']
  return [
    ...['--no-node-snapshot', '--disable-warning=ExperimentalWarning', '--disable-warning=SecurityWarning'],
    ...['--permission', '--allow-addons', ...files.map((file) => `--allow-fs-read=${file}`)],
  ]
}

/** The time zone is part of the contract with the scripts. */
const environment = (): Record<string, string> => ({
  TZ: 'UTC',
  PATH: '',
  // Node cannot start without this on Windows.
  ...(process.platform === 'win32' ? { SystemRoot: process.env.SystemRoot ?? 'C:\\Windows' } : {}),
})

const as = (user: number | undefined) => (user === undefined ? {} : { uid: user, gid: user })

function plain(user: number | undefined): Isolation {
  return {
    name: user === undefined ? "Node's permissions" : "Node's permissions, as nobody",
    wrapped: false,
    start(markFd, priority) {
      const child = spawn(...withPriority(priority, process.execPath, [...nodeFlags(), ENTRY]), {
        env: environment(),
        stdio: ['pipe', 'ignore', 'pipe', 'pipe', markFd],
        cwd: process.platform === 'win32' ? SCRIPTS : '/',
        windowsHide: true,
        ...as(user),
      })
      give(child.stdin, sandboxModules())
      return child
    },
  }
}

function wrapped(bwrap: string, prlimit: string | undefined, user: number | undefined): Isolation {
  const filtered = hasSeccomp(process.arch)
  const names = ['bubblewrap', ...(filtered ? ['seccomp'] : []), "Node's permissions"].join(', ')
  return {
    name: user === undefined ? names : `${names}, as nobody`,
    wrapped: true,
    start(markFd, priority) {
      const seccomp = filtered ? seccompFilter(nodePolicy) : undefined
      const args = bwrapArgs(seccomp !== undefined)
      const bounds = ['--core=0:0', '--nofile=128:128', '--fsize=65536:65536', '--']
      const command =
        prlimit === undefined ? ([bwrap, args] as const) : ([prlimit, [...bounds, bwrap, ...args]] as const)
      const child = spawn(...withPriority(priority, ...command), {
        env: {},
        stdio: ['pipe', 'ignore', 'pipe', 'pipe', markFd, 'pipe', 'pipe'],
        cwd: '/',
        ...as(user),
      })
      give(child.stdin, sandboxModules())
      give(child.stdio.at(FD.seccomp) as Writable | null | undefined, seccomp)
      return child
    },
  }
}

function give(pipe: Writable | null | undefined, content: string | Uint8Array | undefined): void {
  // A program that failed to start reads nothing; its exit reports that.
  pipe?.on('error', () => undefined)
  pipe?.end(content)
}

/** Folders of the libraries that Node is linked with; they contain nothing secret. */
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache']

function bwrapArgs(seccomp: boolean): string[] {
  const node = realpathSync(process.execPath)
  return [
    ...['--unshare-all', '--uid', String(NOBODY), '--gid', String(NOBODY), '--hostname', 'sandbox'],
    ...['--die-with-parent', '--cap-drop', 'ALL', '--clearenv', '--as-pid-1'],
    ...LIBRARIES.flatMap((path) => ['--ro-bind-try', path, path]),
    ...readable().flatMap((path) => ['--ro-bind', path, path]),
    ...['--ro-bind', node, '/node', '--remount-ro', '/', '--chdir', '/', '--info-fd', String(FD.info)],
    ...Object.entries(environment()).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(seccomp ? ['--seccomp', String(FD.seccomp)] : []),
    ...['--', '/node', ...nodeFlags(), ENTRY],
  ]
}
