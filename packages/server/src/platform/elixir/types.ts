import type { ErrorCode } from '@leitstand/contract/errors'
import type { SandboxLimits } from '../sandbox/bubblewrap.ts'

/** All limits of Elixir parsers in one place; those of a call match the script engine. */
export const elixirLimits = {
  /** passed to the process */
  runner: {
    /** wall time of one call, provided the machine schedules the parser */
    ms: 100,
    compile_ms: 5_000,
    /** bytes of a call's heap, and of all memory of the process */
    heap: 32_000_000,
    total: 200_000_000,
    /** bytes of a result as JSON */
    output: 65_536,
    /** timeouts in one call after which the remaining inputs fail without being run */
    timeouts: 10,
    /** console lines of a call, and their length */
    lines: 100,
    chars: 500,
    /** BEAM reductions below which a slow call counts as starved */
    reductions: 4_000_000,
    /** new atoms that one source may add to the process */
    names: 2_000,
    /** atoms that all sources may add, including those from the compiler; then the process is replaced */
    atoms: 200_000,
  },
  /** limits enforced by the operating system */
  sandbox: {
    // The BEAM reserves far more than it uses.
    addressSpaceBytes: 4_000_000_000,
    dataBytes: 512_000_000,
    openFiles: 64,
    fileBytes: 1_000_000,
    cpuSeconds: 3_600,
    tmpBytes: 1_000_000,
  } satisfies SandboxLimits,
  /** processes for accounts' live packets, and for trial runs; at most one for each account */
  processesMax: 12,
  trialProcessesMax: 4,
  /** an idle process is ended after this time */
  idleMs: 60_000,
  /** when others wait for a process, an account gives its own back after this time */
  turnMs: 2_000,
  /** accounts that may wait for a process, and for how long */
  waitingAccountsMax: 500,
  waitingMs: 10_000,
  /** bytes of one result: its JSON, console and message */
  answerBytesMax: 512 * 1024,
  /** nesting of a result, including its envelope */
  levelsMax: 40,
  /** stderr kept of a process that dies, for the log */
  stderrCharsMax: 2_000,
  inputsPerCall: 50,
  /** waiting inputs of an account; more fail with SCRIPT_ENGINE_BUSY */
  waitingMax: 1_000,
  /** parsers loaded in a process at a time */
  slots: 100,
  /** parsers after which the process is replaced, because their atoms stay in it forever */
  definitionsMax: 500,
  /** a process that is silent for this long is frozen and gets killed */
  silenceMs: 60_000,
  /**
   * CPU time of one call, and of compiling, after which a process is killed if it has not stopped by itself:
   * the BEAM cannot interrupt some calculations. Checked at an interval.
   */
  callCpuMs: 1_500,
  compileCpuMs: 10_000,
  lookMs: 250,
  /** deaths of a parser's process after which the parser is suspended, and for how long */
  crashesMax: 3,
  quarantineMs: 30_000,
  /** parsers of an account whose deaths are tracked */
  crashedMax: 1_000,
  /** CPU time of an account in milliseconds: sustained per second, and burst after a pause */
  cpu: { perSecond: 300, burst: 10_000 },
  /** processes an account may crash */
  crashes: { perSecond: 1 / 30, burst: 10 },
  /** accounts whose use is tracked */
  accountsMax: 10_000,
} as const

type Numbers<T> = { readonly [Key in keyof T]: T[Key] extends number ? number : Numbers<T[Key]> }
export type ElixirLimits = Numbers<typeof elixirLimits>

/** The owner of the data. Nothing is shared between two accounts, nor between live packets and trial runs. */
export interface ElixirOwner {
  accountId: number
  isTrial: boolean
}

export interface ElixirInput {
  /** bytes, or JSON data */
  payload: unknown
  meta: Readonly<Record<string, unknown>>
}

/** Why a parser returned no result. */
export interface ElixirError {
  code: ErrorCode
  message: string
  line?: number
  params?: Record<string, string>
}

/** The same shape as in the script engine. */
export type ElixirAnswer =
  | { ok: true; value: unknown; durationUs: number; console?: readonly string[] }
  | { ok: false; error: ElixirError; durationUs: number; console?: readonly string[] }

/** Why Elixir parsers cannot run on this machine. */
export interface ElixirMissing {
  reason: 'elixir' | 'bubblewrap' | 'sandbox'
  /** the problem, in English */
  message: string
}

export interface ElixirLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}
