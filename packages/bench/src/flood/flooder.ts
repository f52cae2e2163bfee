import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import type { Stored } from '../database.ts'
import type { HostileTarget } from '../hostile/account.ts'
import type { Attacked } from '../hostile/attacks.ts'
import { endChild, keepTail } from '../platform.ts'
import type { Answer, AttackKind, Flood, Flooded, Question } from './messages.ts'

const chrt = '/usr/bin/chrt'

/**
 * Floods come from elsewhere: here they only get the processor time that platform and measurement leave, and
 * give it up at once (SCHED_IDLE).
 */
function asOther(): { execArgv: string[]; execPath?: string } {
  return existsSync(chrt) ? { execPath: chrt, execArgv: ['-i', '0', process.execPath] } : { execArgv: [] }
}

/** A separate process that floods on request. Calls must not overlap. */
export class Flooder implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #said: () => string

  constructor() {
    this.#child = fork(fileURLToPath(new URL('main.ts', import.meta.url)), [], {
      ...asOther(),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    })
    this.#said = keepTail(this.#child)
  }

  /** Sets the flooding devices; every device sends once. */
  async prepare(groups: Extract<Question, { ask: 'prepare' }>['groups']): Promise<void> {
    await this.#ask({ ask: 'prepare', groups })
  }

  /** Opens the connections of a flood. */
  async open(flood: Flood): Promise<void> {
    await this.#ask({ ask: 'open', flood })
  }

  async run(flood: Flood, seconds: number): Promise<Flooded> {
    const answer = await this.#ask({ ask: 'run', flood, seconds })
    if ('flooded' in answer) return answer.flooded
    throw new Error('the flood was not answered')
  }

  /** Runs attacks of a hostile account concurrently. */
  async attack(
    target: HostileTarget,
    kind: AttackKind,
    seconds: number,
  ): Promise<{ attacked: Attacked; cpuSeconds: number }> {
    const answer = await this.#ask({ ask: 'attack', target, kind, seconds })
    if ('attacked' in answer) return answer
    throw new Error('the attack was not answered')
  }

  async close(): Promise<void> {
    await this.#ask({ ask: 'close' })
  }

  /** The stored uplinks of all floods. */
  async count(database: pg.ClientConfig): Promise<Stored> {
    const answer = await this.#ask({ ask: 'count', database })
    if ('counted' in answer) return answer.counted
    throw new Error('nothing was counted')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endChild(this.#child)
  }

  async #ask(question: Question): Promise<Exclude<Answer, { error: string }>> {
    const child = this.#child
    const answer = await new Promise<Answer>((resolve, reject) => {
      const ended = () => reject(new Error(`the flooding process has ended: ${this.#said()}`))
      child.once('exit', ended)
      child.once('message', (message: Answer) => {
        child.off('exit', ended)
        resolve(message)
      })
      if (child.exitCode === null && child.connected) child.send(question)
      else ended()
    })
    if ('error' in answer) throw new Error(`the flooding process: ${answer.error}`)
    return answer
  }
}
