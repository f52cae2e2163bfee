import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { descendantsOf, type Sandbox, sealSandbox, startSandbox } from '../sandbox/bubblewrap.ts'
import { type Syscall, syscalls } from '../sandbox/syscalls.ts'
import { type ElixirRuntime, findElixir, librariesOf } from './runtime.ts'

/*
 * What the operating system allows a parser's process if every layer above it has failed: the same command
 * line as in live traffic, but with our own programs instead of the runner. Erlang code is not restricted to
 * a list of functions here, and Perl makes arbitrary system calls.
 */

const secret = `secret ${randomUUID()}`
let folder: string
let runtime: ElixirRuntime

beforeAll(async () => {
  const found = await findElixir()
  if ('reason' in found) throw new Error(found.message)
  runtime = found
  folder = mkdtempSync(join(tmpdir(), 'leitstand-data-'))
  writeFileSync(join(folder, 'secret.key'), secret)
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Run {
  child: ChildProcess
  said: string
  code: number | string | null
}

/**
 * Runs a program to its end; `meanwhile` is called after its first line of output, and the program waits for
 * a line of input.
 */
async function run(
  sandbox: Sandbox,
  meanwhile?: (child: ChildProcess) => void | Promise<void>,
): Promise<Run> {
  const child = startSandbox(runtime.tools, sandbox, ['pipe', 'pipe', 'pipe'])
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const ended = once(child, 'close')
  if (meanwhile !== undefined && child.stdout) {
    await Promise.race([once(child.stdout, 'data'), ended])
    await meanwhile(child)
    child.stdin?.write('\n')
  }
  const [code, signal] = (await ended) as [number | null, string | null]
  return { child, said, code: code ?? signal }
}

/** The result of an Erlang expression run instead of the runner, behind the same seal. */
async function erlang(expression: string): Promise<string> {
  const place = runtime.sandbox(15)
  const args = [...place.args]
  args[args.indexOf('-noinput')] = '-noshell'
  args[args.indexOf('-eval') + 1] =
    `io:format("ready~n"), io:get_line(""), io:format("~tp~n", [catch (${expression})]), halt().`
  const { said } = await run({ ...place, args }, async (child) => {
    await sealSandbox(runtime.tools, place, child)
  })
  return said.replace('ready\n', '').trim()
}

/** The output of Perl behind the same command line, environment, filter and limits. */
async function perl(script: string, meanwhile: Parameters<typeof run>[1] = () => undefined): Promise<Run> {
  const place = runtime.sandbox(15)
  const program = '/usr/bin/perl'
  const sandbox = {
    ...place,
    program,
    args: ['-e', `$| = 1; print "ready\\n"; my $line = <STDIN>; ${script}`],
    // Suppresses Perl's warnings about missing locales.
    environment: { ...place.environment, LC_ALL: 'C' },
    readOnly: [...place.readOnly, program, ...(await librariesOf([program]))],
  }
  return run(sandbox, meanwhile)
}

/** The error of a system call; 0: it succeeded. */
async function errnoOf(call: Syscall, ...args: string[]): Promise<number | string | null> {
  const number = syscalls[call][process.arch === 'x64' ? 0 : 1]
  if (number === null) throw new Error(`there is no ${call} here`)
  const { said, code } = await perl(
    `my $r = syscall(${[number, ...args].join(', ')}); print $r < 0 ? $! + 0 : 0, "\\n";`,
  )
  const answer = said.replace('ready\n', '').trim()
  return answer === '' ? code : Number(answer)
}

const EPERM = 1
const ENOSYS = 38

describe('Erlang code of any kind, in the place of the runner', () => {
  it('runs no program', async () => {
    expect(await erlang('os:cmd("id")')).not.toContain('uid=')
    const program = `filename:join(os:getenv("BINDIR"), "erlexec")`
    expect(await erlang(`open_port({spawn_executable, ${program}}, [])`)).toContain('eagain')
  })

  it('finds neither the secrets nor any other file of the server', async () => {
    expect(await erlang(`file:read_file("${join(folder, 'secret.key')}")`)).toBe('{error,enoent}')
    for (const path of [
      process.cwd(),
      folder,
      '/etc/passwd',
      '/root',
      '/home',
      '/proc/1/environ',
      '/var',
      '/run',
    ])
      expect(await erlang(`file:read_file_info("${path}")`), path).toBe('{error,enoent}')
    const top = await erlang('lists:sort(element(2, file:list_dir("/")))')
    for (const each of top.matchAll(/"([^"]+)"/g))
      expect(['dev', 'leitstand', 'lib', 'lib64', 'opt', 'tmp', 'usr']).toContain(each[1])
    expect(await erlang('file:list_dir("/dev")')).toBe('{ok,["null"]}')
  })

  it('writes nothing but a little into a /tmp of its own', async () => {
    expect(await erlang('file:write_file("/leitstand/modules", "x")')).toMatch(/erofs|eacces/)
    expect(await erlang('file:write_file("/x", "x")')).toMatch(/erofs|eacces/)
    expect(await erlang('file:list_dir("/tmp")')).toBe('{ok,[]}')
    const fill =
      '[file:write_file("/tmp/" ++ integer_to_list(N), binary:copy(<<0>>, 500000)) || N <- [1, 2, 3]]'
    expect(await erlang(fill)).toBe('[ok,{error,enospc},{error,enospc}]')
  })

  it('reaches no network, and no database of the server', async () => {
    const server = createServer((socket) => socket.end(secret))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    expect(await erlang(`gen_tcp:connect({127, 0, 0, 1}, ${port}, [])`)).toMatch(/eperm|eacces/)
    expect(await erlang('gen_tcp:listen(0, [])')).toMatch(/eperm|eacces/)
    expect(await erlang('gen_udp:open(0)')).toMatch(/eperm|eacces/)
    expect(await erlang('gen_tcp:connect({local, "/tmp/x"}, 0, [])')).toMatch(/eperm|eacces/)
    server.close()
  })

  it('knows nothing of its surroundings', async () => {
    const names = await erlang('lists:sort([hd(string:split(E, "=")) || E <- os:getenv()])')
    expect(JSON.parse(names)).toEqual(
      expect.arrayContaining([
        'BINDIR',
        'EMU',
        'HOME',
        'LANG',
        'LEITSTAND_LIMITS',
        'PROGNAME',
        'ROOTDIR',
        'TZ',
      ]),
    )
    expect(names).not.toMatch(/DATABASE|SECRET|DATA_DIR|USER/)
  })
})

describe('any system call', () => {
  test.each<[string, Syscall, string[]]>([
    ['trace another process', 'ptrace', ['0', '0', '0', '0']],
    ['read the memory of another process', 'process_vm_readv', ['1', '0', '0', '0', '0', '0']],
    ['write the memory of another process', 'process_vm_writev', ['1', '0', '0', '0', '0', '0']],
    ['make namespaces', 'unshare', ['0x10000000']],
    ['enter namespaces', 'setns', ['0', '0']],
    ['fork into a user namespace', 'clone', ['0x10000011', '0', '0', '0', '0']],
    ['mount', 'mount', ['0', '0', '0', '0', '0']],
    ['unmount', 'umount2', ['0', '0']],
    ['change the root', 'chroot', ['0']],
    ['swap the root', 'pivot_root', ['0', '0']],
    ['load programs into the kernel', 'bpf', ['0', '0', '0']],
    ['measure the machine', 'perf_event_open', ['0', '0', '0', '0', '0']],
    ['reach keys', 'keyctl', ['0', '0', '0', '0', '0']],
    ['open rings', 'io_uring_setup', ['1', '0']],
    ['handle page faults', 'userfaultfd', ['0']],
    ['keep files in memory', 'memfd_create', ['0', '0']],
    ['open a socket', 'socket', ['1', '1', '0']],
    ['open a network socket', 'socket', ['2', '1', '0']],
    ['open a netlink socket', 'socketpair', ['16', '3', '0', '0']],
    ['raise its bounds', 'prlimit64', ['0', '6', '1', '0']],
    ['gain capabilities', 'capset', ['0', '0']],
    ['push text into a terminal', 'ioctl', ['0', '0x5412', '0']],
  ])('cannot %s', async (_title, call, args) => {
    expect(await errnoOf(call, ...args)).toBe(EPERM)
  })

  it('sends clone3, whose arguments cannot be judged, back to clone', async () => {
    expect(await errnoOf('clone3', '0', '0')).toBe(ENOSYS)
  })

  it.runIf(process.arch === 'x64')('ends a process that speaks another ABI', async () => {
    const { said } = await perl('syscall(0x40000000 + 39); print "alive\\n";')
    expect(said).not.toContain('alive')
  })

  it('lets nothing fork once it is sealed', async () => {
    const script =
      'my $pid = fork(); print defined $pid ? "forked" : "refused"; exit 0 if defined $pid && !$pid;'
    expect((await perl(script)).said).toContain('forked')
    const seal = async (child: ChildProcess) => {
      await sealSandbox(runtime.tools, runtime.sandbox(15), child)
    }
    expect((await perl(script, seal)).said).toMatch(/ready\n?refused/)
  })

  it('ends a process at its bounds of memory and of files', async () => {
    const memory = await perl('my $n = 700_000_000; my $x = "x" x $n; print "alive\\n";')
    expect(memory.said).not.toContain('alive')
    const files = await perl(
      'my @f; while (open my $f, "<", "/dev/null") { push @f, $f } print scalar(@f), "\\n";',
    )
    expect(Number(files.said.replace('ready\n', ''))).toBeLessThan(64)
    const file = await perl(
      'open my $f, ">", "/tmp/x"; print $f "x" x 5_000_000; close $f; print -s "/tmp/x";',
    )
    expect(Number(file.said.replace('ready\n', '') || 0)).toBeLessThanOrEqual(1_000_000)
  })
})

describe('the process as it is seen from outside', () => {
  it('is not root, and has no capabilities, but a filter', async () => {
    const seen: string[] = []
    await perl('', (child) => {
      for (const pid of descendantsOf(child.pid ?? 0).slice(1))
        seen.push(readFileSync(`/proc/${pid}/status`, 'utf8'))
    })
    expect(seen.length).toBeGreaterThan(0)
    for (const status of seen) {
      const value = (name: string) => new RegExp(`^${name}:\\s+(.+)$`, 'm').exec(status)?.[1]
      expect(value('Uid')?.split('\t')).not.toContain('0')
      expect(value('Gid')?.split('\t')).not.toContain('0')
      expect(value('CapEff')).toMatch(/^0+$/)
      expect(value('CapBnd')).toMatch(/^0+$/)
      expect(value('Seccomp')).toBe('2')
      expect(value('NoNewPrivs')).toBe('1')
    }
  })

  it('is never started as root', () => {
    const sandbox = { ...runtime.sandbox(15), uid: 0 }
    expect(() => startSandbox(runtime.tools, sandbox, ['ignore'])).toThrow('never runs as root')
  })
})
