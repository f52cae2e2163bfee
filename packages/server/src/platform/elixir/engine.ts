import { createHash } from 'node:crypto'
import { Budgets } from './budgets.ts'
import { type Job, Lane } from './lane.ts'
import { Places } from './places.ts'
import type { ElixirRuntime } from './runtime.ts'
import {
  type ElixirAnswer,
  type ElixirError,
  type ElixirInput,
  type ElixirLimits,
  type ElixirLog,
  type ElixirMissing,
  type ElixirOwner,
  elixirLimits,
} from './types.ts'

export interface ElixirOptions {
  /** the result of `findElixir` */
  runtime: Promise<ElixirRuntime | ElixirMissing>
  log: ElixirLog
  /** an account hit a limit; `detail` is its text */
  onLimit?(accountId: number, detail: string): void
  limits?: ElixirLimits
}

/**
 * Runs Elixir parsers. Each account has its own process, which starts with its first parser and ends when it
 * is idle; trial runs are separate from live packets. If no sandbox is available, no parser runs.
 */
export class ElixirEngine implements AsyncDisposable {
  readonly #options: ElixirOptions
  readonly #limits: ElixirLimits
  readonly #lanes = new Map<string, Lane>()
  readonly #budgets: Budgets
  readonly #places: { live: Places; trial: Places }
  #isStopping = false

  constructor(options: ElixirOptions) {
    this.#options = options
    this.#limits = options.limits ?? elixirLimits
    const { processesMax, trialProcessesMax, waitingAccountsMax, waitingMs } = this.#limits
    this.#budgets = new Budgets(this.#limits)
    const places = (max: number, first: number, isTrial: boolean) =>
      new Places({
        max,
        first,
        waitingMax: waitingAccountsMax,
        waitingMs,
        endIdle: () => this.#endIdle(isTrial),
      })
    this.#places = {
      live: places(processesMax, 0, false),
      trial: places(trialProcessesMax, processesMax, true),
    }
  }

  /** Why no parser can run here; null: they can. */
  async missing(): Promise<ElixirMissing | null> {
    const found = await this.#options.runtime
    return 'reason' in found ? found : null
  }

  /** Returns results in the order of the inputs; never rejects. */
  async run(source: string, inputs: readonly ElixirInput[], owner: ElixirOwner): Promise<ElixirAnswer[]> {
    const { inputsPerCall } = this.#limits
    const parts = Array.from({ length: Math.ceil(inputs.length / inputsPerCall) }, (_, part) =>
      inputs.slice(part * inputsPerCall, (part + 1) * inputsPerCall),
    )
    const answers = await Promise.all(parts.map((part) => this.#add(owner, source, part)))
    return answers.flat()
  }

  /**
   * Compiles a parser without calling it, separate from live packets.
   * @returns null, or the error
   */
  async check(source: string, accountId: number): Promise<ElixirError | null> {
    const [answer] = await this.#add({ accountId, isTrial: true }, source, [])
    return answer?.ok === false ? answer.error : null
  }

  /** Pid of an account's BEAM outside of the sandbox, for tests. */
  pidOf(owner: ElixirOwner): number | undefined {
    return this.#lanes.get(keyOf(owner))?.pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    this.#places.live.close()
    this.#places.trial.close()
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()))
  }

  async #add(owner: ElixirOwner, source: string, inputs: readonly ElixirInput[]): Promise<ElixirAnswer[]> {
    const failed = (error: ElixirError): ElixirAnswer[] =>
      Array.from({ length: Math.max(1, inputs.length) }, () => ({ ok: false, error, durationUs: 0 }))
    const runtime = await this.#options.runtime
    if ('reason' in runtime) {
      const { reason, message } = runtime
      return failed({ code: 'PARSER_ELIXIR_MISSING', message, params: { kind: reason } })
    }
    if (this.#isStopping) return failed({ code: 'SCRIPT_ENGINE_BUSY', message: 'The server is stopping' })
    const key = createHash('sha256').update(source).digest('base64url')
    return new Promise((answered) => {
      const job: Job = { key, source, inputs, answers: [], answered }
      this.#laneOf(owner, runtime).add(job)
    })
  }

  #laneOf(owner: ElixirOwner, runtime: ElixirRuntime): Lane {
    const key = keyOf(owner)
    const known = this.#lanes.get(key)
    if (known !== undefined) return known
    const { accountId, isTrial } = owner
    const { log, onLimit } = this.#options
    const lane = new Lane({
      key,
      accountId,
      runtime,
      log,
      budgets: this.#budgets,
      limits: this.#limits,
      places: isTrial ? this.#places.trial : this.#places.live,
      onLimit: (detail) => onLimit?.(accountId, detail),
      onEmpty: () => {
        if (this.#lanes.get(key) === lane) this.#lanes.delete(key)
      },
    })
    this.#lanes.set(key, lane)
    return lane
  }

  /** Makes room for a waiting account by ending the idle process of another. */
  #endIdle(isTrial: boolean): void {
    const idle = [...this.#lanes]
      .filter(([key, lane]) => lane.isIdle && key.endsWith(trialMark) === isTrial)
      .sort(([, a], [, b]) => a.lastUsedMs - b.lastUsedMs)
    idle[0]?.[1].end()
  }
}

const trialMark = ' try'

function keyOf({ accountId, isTrial }: ElixirOwner): string {
  return `${accountId}${isTrial ? trialMark : ''}`
}
