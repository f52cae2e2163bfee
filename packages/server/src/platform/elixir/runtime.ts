import { execFile } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { messageOf } from '../errors.ts'
import { findProgram } from '../programs.ts'
import { type Sandbox, type SandboxTools, startSandbox } from '../sandbox/bubblewrap.ts'
import { hasSeccomp, type SeccompPolicy, seccompFilter } from '../sandbox/seccomp.ts'
import { toTerm } from './terms.ts'
import { type ElixirMissing, elixirLimits } from './types.ts'

const run = promisify(execFile)

/** In order of their dependencies. */
const guestFiles = ['values', 'timex', 'allowed', 'rules', 'compiled', 'runner'].map((name) =>
  fileURLToPath(new URL(`./guest/${name}.exs`, import.meta.url)),
)

/** Where the compiled runner is in the sandbox. */
const modulesPath = '/leitstand/modules'

/**
 * User ids for processes when the server is root, one for each place: Debian and systemd never assign them,
 * and they also exist in containers.
 */
const firstUid = 60_600

/**
 * Prints where Elixir is, and compiles the runner. The runner is our own code, so this is done once, outside
 * of the sandbox.
 */
const describe = `
modules = for file <- System.argv(), {module, binary} <- Code.compile_file(file), do: {module, binary}
root = List.to_string(:code.root_dir())
erts = List.to_string(:erlang.system_info(:version))
elixir = :elixir |> :code.lib_dir() |> List.to_string() |> Path.expand()
IO.puts(Enum.join([root, erts, elixir, Base.encode64(:erlang.term_to_binary(modules))], "\\n"))
`

/** Loads the runner and passes control to it. */
const boot = `
{ok, Modules} = file:read_file("${modulesPath}"),
{ok, _} = application:ensure_all_started(elixir),
lists:foreach(fun({Name, Code}) -> {module, Name} = code:load_binary(Name, "guest", Code) end, binary_to_term(Modules)),
'Elixir.Leitstand.Runner':start().
`

/**
 * The system calls of a BEAM that starts, loads code, computes, and uses descriptors it already has. It opens
 * no sockets except the pair to its own helper, creates no namespaces, and executes nothing after the start,
 * so it cannot start processes.
 */
export const beamPolicy: SeccompPolicy = {
  allow: [
    ...([
      'read',
      'write',
      'readv',
      'writev',
      'pread64',
      'pwrite64',
      'lseek',
      'close',
      'close_range',
    ] as const),
    ...([
      'open',
      'openat',
      'access',
      'faccessat',
      'faccessat2',
      'stat',
      'lstat',
      'fstat',
      'newfstatat',
    ] as const),
    ...([
      'statx',
      'readlink',
      'readlinkat',
      'getcwd',
      'chdir',
      'getdents64',
      'fcntl',
      'dup',
      'dup2',
    ] as const),
    ...(['dup3', 'pipe', 'pipe2', 'eventfd2', 'timerfd_create', 'timerfd_settime', 'umask'] as const),
    ...(['poll', 'ppoll', 'select', 'pselect6', 'epoll_create', 'epoll_create1', 'epoll_ctl'] as const),
    ...(['epoll_wait', 'epoll_pwait', 'epoll_pwait2', 'recvmsg', 'sendmsg', 'recvfrom', 'sendto'] as const),
    ...(['getsockopt', 'shutdown', 'mmap', 'munmap', 'mremap', 'mprotect', 'madvise', 'brk'] as const),
    ...(['futex', 'set_robust_list', 'set_tid_address', 'rseq', 'membarrier', 'arch_prctl'] as const),
    ...([
      'sched_yield',
      'sched_getaffinity',
      'sysinfo',
      'uname',
      'getrandom',
      'getrlimit',
      'getrusage',
    ] as const),
    ...(['clock_gettime', 'clock_getres', 'clock_nanosleep', 'nanosleep', 'gettimeofday'] as const),
    ...(['rt_sigaction', 'rt_sigprocmask', 'rt_sigpending', 'rt_sigreturn', 'rt_sigsuspend'] as const),
    ...(['rt_sigtimedwait', 'sigaltstack', 'restart_syscall', 'kill', 'tgkill', 'wait4', 'waitid'] as const),
    ...([
      'getpid',
      'getppid',
      'gettid',
      'getuid',
      'geteuid',
      'getgid',
      'getegid',
      'setsid',
      'setpgid',
    ] as const),
    ...(['execve', 'exit', 'exit_group'] as const),
  ],
  rules: [
    // Threads and its helper process, but no namespaces (CLONE_NEW…).
    { syscall: 'clone', argument: 0, mask: 0x7e02_0080, equals: [0] },
    // AF_UNIX
    { syscall: 'socketpair', argument: 0, mask: 0xffff_ffff, equals: [1] },
    // TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
    {
      syscall: 'ioctl' as const,
      argument: 1,
      mask: 0xffff_ffff,
      equals: [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451],
    },
    // PR_SET_NAME, PR_GET_NAME
    { syscall: 'prctl', argument: 0, mask: 0xffff_ffff, equals: [15, 16] },
    // Read only: the pointer to new limits is null, at least in its lower half.
    { syscall: 'prlimit64', argument: 2, mask: 0xffff_ffff, equals: [0] },
  ],
  unknown: ['clone3'],
  otherwise: 'refuse',
}

/** Everything needed to start processes. */
export interface ElixirRuntime {
  tools: SandboxTools
  /** the sandbox of a process in one of the places */
  sandbox(place: number): Sandbox
}

const known = new Map<string, Promise<ElixirRuntime | ElixirMissing>>()

/**
 * Looks for Elixir and the sandboxing tools in the PATH and checks whether they work here. The result is
 * cached for the life of the server.
 */
export function findElixir(path = process.env.PATH ?? ''): Promise<ElixirRuntime | ElixirMissing> {
  let found = known.get(path)
  if (found === undefined) {
    found = look(path)
    known.set(path, found)
  }
  return found
}

async function look(path: string): Promise<ElixirRuntime | ElixirMissing> {
  const [elixir, erl, bubblewrap, prlimit] = ['elixir', 'erl', 'bwrap', 'prlimit'].map((name) =>
    findProgram(name, path),
  )
  if (!elixir || !erl) return { reason: 'elixir', message: "Elixir is not installed on the server's machine" }
  if (!bubblewrap || !prlimit) {
    const missing = bubblewrap ? 'prlimit (util-linux)' : 'bubblewrap'
    return { reason: 'bubblewrap', message: `${missing} is not installed on the server's machine` }
  }
  if (process.platform !== 'linux' || !hasSeccomp(process.arch))
    return unable(`there is no sandbox for ${process.platform} on ${process.arch}`)
  try {
    const tools = { bubblewrap, prlimit }
    const runtime = { tools, sandbox: await sandboxOf(elixir, path) }
    await probe(runtime)
    return runtime
  } catch (error) {
    return unable(messageOf(error))
  }
}

function unable(why: string): ElixirMissing {
  return { reason: 'sandbox', message: `Elixir cannot be kept in a sandbox here: ${why}` }
}

async function sandboxOf(elixir: string, path: string): Promise<(place: number) => Sandbox> {
  const options = {
    env: { PATH: path, HOME: '/nonexistent', LANG: 'C.UTF-8' },
    timeout: 60_000,
    maxBuffer: 16e6,
  }
  const { stdout } = await run(elixir, ['-e', describe, ...guestFiles], options)
  const [root = '', erts = '', library = '', modules = ''] = stdout.trim().split('\n').slice(-4)
  const bin = join(root, `erts-${erts}`, 'bin')
  const programs = ['erlexec', 'beam.smp', 'erl_child_setup'].map((name) => join(bin, name))
  const environment = {
    ROOTDIR: root,
    BINDIR: bin,
    EMU: 'beam',
    PROGNAME: 'erl',
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    ERL_CRASH_DUMP_SECONDS: '0',
    LEITSTAND_LIMITS: toTerm(elixirLimits.runner).toString('base64'),
  }
  const common = {
    program: programs[0] as string,
    args: [
      ...['+S', '1:1', '+SDcpu', '1:1', '+SDio', '1', '+A', '1', '+fnu', '-noshell', '-noinput'],
      ...['-pa', join(library, 'ebin'), '-eval', boot],
    ],
    environment,
    readOnly: [...new Set([root, library, ...(await librariesOf(programs))])],
    files: [{ path: modulesPath, content: Buffer.from(modules, 'base64') }],
    limits: elixirLimits.sandbox,
    seccomp: seccompFilter(beamPolicy),
  }
  const isRoot = process.getuid?.() === 0
  return (place) => ({ ...common, uid: isRoot ? firstUid + place : null })
}

/** The shared libraries that programs load, as reported by the loader. */
export async function librariesOf(programs: readonly string[]): Promise<string[]> {
  const { stdout } = await run('ldd', [...programs], { env: { PATH: '/usr/bin:/bin' } })
  const paths = [...stdout.matchAll(/(?:=>\s+|^\s+)(\/\S+) \(0x/gm)].map(([, path]) => path as string)
  for (const path of paths) realpathSync(path)
  return [...new Set(paths)]
}

/** Starts the BEAM once in its sandbox, only to read its version. */
async function probe({ tools, sandbox }: ElixirRuntime): Promise<void> {
  const child = startSandbox(tools, { ...sandbox(0), args: ['+V'] }, ['ignore', 'ignore', 'pipe'])
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-elixirLimits.stderrCharsMax)
  })
  const code = await new Promise<number | string | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode, signal) => resolve(exitCode ?? signal))
  })
  if (code !== 0) throw new Error(said.trim().split('\n').at(-1) || `it ended with ${code}`)
}
