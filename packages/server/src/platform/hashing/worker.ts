/** The thread that computes hashes, one after the other. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync, type Options, verifySync } from '@node-rs/argon2'

export type Task =
  | { kind: 'hash'; password: string; options: Options }
  | { kind: 'verify'; encoded: string; password: string }

export type Answer = { serial: number } & ({ value: string | boolean } | { error: Error })

/**
 * A tenth of the processor time of a thread of the usual priority if there is too little: sign-ins still end when
 * the machine is busy, and wrong passwords delay nothing else.
 */
const niceness = 10

// On Linux priorities belong to threads, elsewhere to processes. The link reads `<process>/task/<thread>`.
if (process.platform === 'linux')
  setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness)

parentPort?.on('message', ({ serial, task }: { serial: number; task: Task }) => {
  parentPort?.postMessage({ serial, ...compute(task) } satisfies Answer)
})

function compute(task: Task): { value: string | boolean } | { error: Error } {
  try {
    if (task.kind === 'hash') return { value: hashSync(task.password, task.options) }
    return { value: verifySync(task.encoded, task.password) }
  } catch (error) {
    return { error: error as Error }
  }
}
