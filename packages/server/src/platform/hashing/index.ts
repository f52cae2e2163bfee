import { Worker } from 'node:worker_threads'
import type { Options } from '@node-rs/argon2'
import { hashesMax } from '../slots.ts'
import type { Answer, Task } from './worker.ts'

/**
 * Computes argon2 in threads of their own, at a lower priority than the rest of the server: each hash keeps a
 * processor busy for some tens of milliseconds, and anybody can ask for one by sending a wrong password.
 */
class Hasher {
  readonly #waiting = new Map<number, PromiseWithResolvers<string | boolean>>()
  readonly #index: number
  #worker: Worker | undefined
  #serial = 0

  constructor(index: number) {
    this.#index = index
  }

  get load(): number {
    return this.#waiting.size
  }

  compute(task: Task): Promise<string | boolean> {
    this.#worker ??= this.#start()
    const answer = Promise.withResolvers<string | boolean>()
    this.#serial += 1
    this.#waiting.set(this.#serial, answer)
    // An idle thread does not keep the process running.
    this.#worker.ref()
    this.#worker.postMessage({ serial: this.#serial, task })
    return answer.promise
  }

  #start(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { name: `passwords ${this.#index}` })
    worker.on('message', ({ serial, ...outcome }: Answer) => {
      const answer = this.#waiting.get(serial)
      this.#waiting.delete(serial)
      if (this.#waiting.size === 0) worker.unref()
      if ('error' in outcome) answer?.reject(outcome.error)
      else answer?.resolve(outcome.value)
    })
    const fail = (error: Error) => {
      // The next task starts another thread.
      if (this.#worker === worker) this.#worker = undefined
      for (const answer of this.#waiting.values()) answer.reject(error)
      this.#waiting.clear()
    }
    worker.on('error', fail)
    worker.on('exit', (code) => fail(new Error(`The thread that hashes passwords ended with code ${code}`)))
    return worker
  }
}

const hashers = Array.from({ length: hashesMax }, (_, index) => new Hasher(index))

function compute(task: Task): Promise<string | boolean> {
  const idlest = hashers.reduce((one, other) => (other.load < one.load ? other : one))
  return idlest.compute(task)
}

/** The encoded argon2 hash of a password. */
export async function hash(password: string, options: Options): Promise<string> {
  return (await compute({ kind: 'hash', password, options })) as string
}

/**
 * Whether a password has this hash.
 * @throws if the hash is not an encoded argon2 hash
 */
export async function verify(encoded: string, password: string): Promise<boolean> {
  return (await compute({ kind: 'verify', encoded, password })) as boolean
}
