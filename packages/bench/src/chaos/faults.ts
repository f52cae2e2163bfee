import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Disk } from './disk.ts'
import type { Gate } from './gate.ts'
import type { Load } from './load.ts'
import type { FaultKind } from './plan.ts'
import { descendantsOf, isSame, listProcesses, type Process, signalTo } from './procfs.ts'
import type { Random } from './random.ts'
import type { Supervisor } from './supervisor.ts'

/** Targets of the faults, and the duration of those that have one. */
export interface Scene {
  supervisor: Supervisor
  gates: readonly Gate[]
  load: Load
  disk: Disk
  random: Random
  stoppedMs: number
  fullMs: number
  signal: AbortSignal
}

/** What a run attacks. */
export interface Target<Kind extends string> {
  /** where its database listens; null while it does not run */
  readonly database: pg.ClientConfig | null
  /** how often a server was started, and how often one ended by itself */
  readonly starts: number
  readonly ends: number
  /** Injects a fault, and resolves when its cause is gone. @returns what was done, in a word or two */
  inject(kind: Kind): Promise<string>
  /** Whether nothing waits to be stored. */
  isEmpty(): Promise<boolean>
  /** the processes it has now, without those that may end by themselves */
  processes(): Process[]
  /** The end of its output. */
  tail(): string
  /** Stops it. @returns processes that should have ended with it */
  stop(before: readonly Process[]): Promise<Process[]>
}

/** A single server with its own database. */
export function serverTarget(scene: Scene): Target<FaultKind> {
  const { supervisor } = scene
  return {
    get database() {
      return supervisor.database
    },
    get starts() {
      return supervisor.starts
    },
    get ends() {
      return supervisor.ends
    },
    inject: (kind) => inject(kind, scene),
    isEmpty: async () => true,
    processes: () => below(supervisor),
    tail: () => supervisor.tail(),
    stop: (before) => supervisor.stop(before),
  }
}

/** The second kill happens within this time after the start. */
const startMsMax = 1500
const unnoticedMs = 5000
const pollMs = 20
const refillMs = 100

/**
 * Injects a fault, and resolves when its cause is gone: killed processes are dead, stopped ones continue,
 * there is disk space again.
 * @returns what was done, in a word or two
 */
async function inject(kind: FaultKind, scene: Scene): Promise<string> {
  const { supervisor, random, load, gates, signal } = scene
  switch (kind) {
    case 'server-killed':
      return killServer(scene)
    case 'server-killed-twice': {
      await killServer(scene)
      const afterMs = random.whole(0, startMsMax)
      await delay(afterMs, undefined, { signal })
      return `${await killServer(scene)}, the second after ${afterMs} ms`
    }
    case 'all-killed': {
      const all = below(supervisor)
      const killed = await killServer(scene)
      for (const { pid } of all) signalTo(pid, 'SIGKILL')
      return `${killed} and ${all.length} below it`
    }
    case 'backend-killed':
      return kill('backend', random.pick(databaseOf(supervisor).backends))
    case 'postmaster-killed':
      return kill('postmaster', databaseOf(supervisor).postmaster)
    case 'database-killed': {
      const { postmaster, all } = databaseOf(supervisor)
      kill('postmaster', postmaster)
      for (const { pid } of all) signalTo(pid, 'SIGKILL')
      return `postmaster and ${all.length} processes`
    }
    case 'sandbox-killed':
      return kill('sandbox', random.pick(sandboxesOf(supervisor)))
    case 'sandbox-stopped':
      return stopSandbox(scene, random.pick(innermost(sandboxesOf(supervisor))))
    case 'sockets-closed':
      return `${load.drop()} clients`
    case 'sockets-reset':
      return `${gates.reduce((sum, gate) => sum + gate.reset(), 0)} connections`
    case 'disk-full':
      return fillDisk(scene)
    case 'server-stopped':
      supervisor.kill('SIGSTOP')
      await delay(scene.stoppedMs, undefined, { signal })
      supervisor.kill('SIGCONT')
      return `${scene.stoppedMs} ms`
  }
}

async function killServer({ supervisor }: Scene): Promise<string> {
  const { pid } = supervisor
  if (pid === null) return 'the server, between two starts'
  signalTo(pid, 'SIGKILL')
  await supervisor.restarted(pid)
  return `server ${pid}`
}

/**
 * The server must detect that a sandbox does not respond, and replace it. An idle one may stay stopped
 * unnoticed, so it is resumed after a while.
 */
async function stopSandbox({ signal }: Scene, sandbox: Process | undefined): Promise<string> {
  const detail = kill('sandbox', sandbox, 'SIGSTOP')
  if (sandbox === undefined) return detail
  const lives = () => listProcesses().some((process) => isSame(process, sandbox))
  for (const end = performance.now() + unnoticedMs; performance.now() < end; ) {
    if (!lives()) return `${detail}, replaced`
    await delay(pollMs, undefined, { signal })
  }
  signalTo(sandbox.pid, 'SIGCONT')
  return `${detail}, without work`
}

/** Space the database frees is filled again at once. */
async function fillDisk({ disk, supervisor, load, fullMs, signal }: Scene): Promise<string> {
  const from = performance.now()
  let [acknowledged, since] = [load.acknowledgedDirectly, from]
  while (performance.now() - from < fullMs) {
    await disk.fill(supervisor.pid ?? 0)
    await delay(refillMs, undefined, { signal })
    const now = load.acknowledgedDirectly
    if (now > acknowledged) [acknowledged, since] = [now, performance.now()]
  }
  await disk.free()
  const refusedMs = Math.round(performance.now() - since)
  return `${disk.kind}, ${fullMs} ms, nothing acknowledged for the last ${refusedMs} ms`
}

/** A process that is just being restarted is not killed. */
function kill(name: string, found: Process | undefined, signal: NodeJS.Signals = 'SIGKILL'): string {
  if (found === undefined) return `no ${name}`
  signalTo(found.pid, signal)
  return `${name} ${found.pid}: ${found.command.slice(0, 80)}`
}

/** All processes below the server: sandboxes and database. */
function below({ pid }: Supervisor): Process[] {
  return pid === null ? [] : descendantsOf(pid, listProcesses())
}

function sandboxesOf(supervisor: Supervisor): Process[] {
  return below(supervisor).filter(({ command }) => command.includes('sandbox/begin.js'))
}

/** Without the programs that only isolate another process: stopping these stops nothing. */
function innermost(processes: readonly Process[]): Process[] {
  return processes.filter(({ pid }) => !processes.some(({ parent }) => parent === pid))
}

function databaseOf(supervisor: Supervisor) {
  const processes = below(supervisor)
  const postmaster = processes.find(({ command }) => / -D \S+postgres /.test(command))
  const all = postmaster === undefined ? [] : processes.filter(({ parent }) => parent === postmaster.pid)
  // `postgres: user database [local] activity`; others are the database's own workers.
  const backends = all.filter(({ command }) => command.includes('[local]'))
  return { postmaster, all, backends }
}
