import type { ErrorCode } from '@leitstand/contract/errors'
import type { SandboxLimits } from '../sandbox/bubblewrap.ts'

/** Every bound of parsers in Elixir in one place; those of a call are the ones of the script engine. */
export const elixirLimits = {
  /** handed to the process */
  runner: {
    /** wall time of one call, as long as the machine gives the parser its turn */
    ms: 100,
    compile_ms: 5_000,
    /** bytes of a call's heap, and of all that the process holds */
    heap: 32_000_000,
    total: 200_000_000,
    /** bytes of an answer as JSON */
    output: 65_536,
    /** after so many timeouts in one call the rest of it is answered without being run */
    timeouts: 10,
    /** console lines of a call, and their length */
    lines: 100,
    chars: 500,
    /** steps of the BEAM below which a call that takes long is taken for starved */
    reductions: 4_000_000,
    /** names a source may bring that the process did not know */
    names: 2_000,
    /** names all sources may bring, with what the compiler makes of them; then the process is replaced */
    atoms: 200_000,
  },
  /** what the operating system allows a process */
  sandbox: {
    // The BEAM reserves far more than it uses.
    addressSpaceBytes: 4_000_000_000,
    dataBytes: 512_000_000,
    openFiles: 64,
    fileBytes: 1_000_000,
    cpuSeconds: 3_600,
    tmpBytes: 1_000_000,
  } satisfies SandboxLimits,
  /** processes of accounts' packets, and of those who try parsers; one for each account at most */
  processesMax: 12,
  trialProcessesMax: 4,
  /** a process that nobody needs for so long is ended */
  idleMs: 60_000,
  /** where others wait for a process, an account gives its own back after so long */
  turnMs: 2_000,
  /** accounts that wait for a process, and for how long */
  waitingAccountsMax: 500,
  waitingMs: 10_000,
  /** bytes of one answer: its JSON, its console and its message */
  answerBytesMax: 512 * 1024,
  /** nesting of an answer, with what is around it */
  levelsMax: 40,
  /** text of a process that dies, for the log */
  stderrCharsMax: 2_000,
  inputsPerCall: 50,
  /** inputs of an account that wait; more are answered with SCRIPT_ENGINE_BUSY */
  waitingMax: 1_000,
  /** parsers a process knows at a time */
  slots: 100,
  /** parsers after which the process is replaced: their names stay in it for ever */
  definitionsMax: 500,
  /** a process that says nothing for so long is frozen and gets killed */
  silenceMs: 60_000,
  /**
   * Processor time of one call, and of compiling, after which a process is killed that did not stop by itself: there are
   * calculations the BEAM cannot interrupt. Looked at every so often.
   */
  callCpuMs: 1_500,
  compileCpuMs: 10_000,
  lookMs: 250,
  /** deaths of a parser's process after which the parser rests, and for how long */
  crashesMax: 3,
  quarantineMs: 30_000,
  /** parsers of an account whose deaths are remembered */
  crashedMax: 1_000,
  /** milliseconds of processor time an account may use a second in the long run, and at once after a pause */
  cpu: { perSecond: 300, burst: 10_000 },
  /** processes an account may take down */
  crashes: { perSecond: 1 / 30, burst: 10 },
  /** accounts whose use is remembered */
  accountsMax: 10_000,
} as const

type Numbers<T> = { readonly [Key in keyof T]: T[Key] extends number ? number : Numbers<T[Key]> }
export type ElixirLimits = Numbers<typeof elixirLimits>

/** Whose data is read. Nothing is shared between two accounts, nor between packets that arrive and what is tried. */
export interface ElixirOwner {
  accountId: number
  isTrial: boolean
}

export interface ElixirInput {
  /** bytes, or JSON data */
  payload: unknown
  meta: Readonly<Record<string, unknown>>
}

/** Why a parser did not answer. */
export interface ElixirError {
  code: ErrorCode
  message: string
  line?: number
  params?: Record<string, string>
}

/** As the script engine answers. */
export type ElixirAnswer =
  | { ok: true; value: unknown; durationUs: number; console?: readonly string[] }
  | { ok: false; error: ElixirError; durationUs: number; console?: readonly string[] }

/** Why parsers in Elixir cannot be run on this machine. */
export interface ElixirMissing {
  reason: 'elixir' | 'bubblewrap' | 'sandbox'
  /** what is wrong, in English */
  message: string
}

export interface ElixirLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}
