/** The purpose of a script; it decides the script's arguments and permitted results. */
export type ScriptKind = 'driver' | 'template' | 'transformer' | 'filter' | 'condition' | 'value'

/**
 * One version of one script.
 *
 * - `id` names the script in logs and errors; the compiled form is cached by its kind, source and options.
 * - `group` is the owner (an account): scripts of one group may share an isolate, each in a context of its
 *   own, scripts of two groups never do. Without a group a script shares with no other.
 * - `account` is the account whose budgets of time and crashes the script uses; a group `account:<id>`
 *   implies it.
 * - `parameters` are the variable names a `filter`, `condition` or `value` can use directly. Names that are not
 *   JavaScript identifiers are reached as `variables['some name']`.
 * - `options.recvTime` is the dialect of `decodeUplink`: a `Date` (default) or ISO text.
 */
export interface ScriptSource {
  readonly id: string
  readonly source: string
  readonly kind: ScriptKind
  readonly group?: string
  readonly account?: number
  readonly parameters?: readonly string[]
  readonly options?: { readonly recvTime?: 'iso' | 'date' }
}

/**
 * The input of one call. Which fields are used depends on the kind:
 *
 * - `driver`: `bytes` (hexadecimal text) with `fPort`, or `payload` (any JSON value); `time` (ISO 8601),
 *   `meta`, `variables` (configuration of the device, text by name).
 * - `template`: `payload`, or `json` (the same as text, parsed inside the sandbox), or `bytes`; `meta`.
 * - `transformer`: `value`, `meta`, and for aggregates `values`.
 * - `filter`, `condition`, `value`: `variables` by name, `metrics`, `meta`. The first two answer true or false.
 */
export interface ScriptInput {
  readonly bytes?: string
  readonly fPort?: number
  readonly payload?: unknown
  readonly json?: string
  readonly time?: string
  readonly meta?: Readonly<Record<string, unknown>>
  readonly value?: unknown
  readonly values?: readonly unknown[]
  readonly variables?: Readonly<Record<string, unknown>>
  readonly metrics?: unknown
}

/** The input of `encodeDownlink` (or the older `Encoder`, `Encode`). */
export interface EncodeInput {
  readonly data: unknown
  readonly fPort?: number
  readonly variables?: Readonly<Record<string, string>>
}

export type ScriptErrorCode =
  /** The source is not valid JavaScript; line and column show where. */
  | 'SCRIPT_SYNTAX'
  /** The source has none of the functions that its kind requires. */
  | 'SCRIPT_NO_FUNCTION'
  /** The script threw, or reported errors itself. */
  | 'SCRIPT_ERROR'
  /** One call took longer than `LIMITS.timeoutMs`. */
  | 'SCRIPT_TIMEOUT'
  /** The isolate grew past `LIMITS.memoryMb`. */
  | 'SCRIPT_MEMORY'
  /** The call crashed or froze its whole process: nearly always memory allocated too fast to be stopped. */
  | 'SCRIPT_CRASHED'
  /** The result is larger than `LIMITS.outputChars` as JSON. */
  | 'SCRIPT_OUTPUT_TOO_LARGE'
  /** The result is nested deeper than `LIMITS.outputDepth`, contains itself, or is a promise. */
  | 'SCRIPT_OUTPUT_INVALID'
  /** The input is larger than `LIMITS.inputChars` as JSON, or the script needs bytes and got a JSON value. */
  | 'SCRIPT_INPUT_INVALID'
  /** The script crashed its process repeatedly and is suspended for `LIMITS.quarantineMs`. */
  | 'SCRIPT_QUARANTINED'
  /** More calls are waiting than `LIMITS.waitingCalls`, or the engine is stopping. */
  | 'SCRIPT_ENGINE_BUSY'

export interface ScriptError {
  readonly code: ScriptErrorCode
  readonly message: string
  /** Position in the author's source, both from 1. */
  readonly line?: number
  readonly column?: number
}

/**
 * The result for one input. `value` is plain JSON data, or `undefined` where the script returned nothing (a
 * transformer drops the value, a template the message). `durationUs`, in whole microseconds, is exact when
 * the call had one input, otherwise the average over the inputs that ran together.
 */
export type ScriptResult =
  | {
      readonly ok: true
      readonly value: unknown
      readonly durationUs: number
      readonly warnings?: readonly string[]
      readonly console?: readonly string[]
    }
  | {
      readonly ok: false
      readonly error: ScriptError
      readonly durationUs: number
      readonly console?: readonly string[]
    }

/** The calling convention of a script. */
export type ScriptFamily = 'function' | 'decodeUplink' | 'Decoder' | 'Decode' | 'body'

/**
 * - `pure`: nothing outlives a call.
 * - `module`: variables outside of functions are written during a call; they are reset for each call.
 * - `context`: built-in objects or globals are changed during a call; every call gets a new context (slow).
 */
export type ScriptPurity = 'pure' | 'module' | 'context'

export type ScriptCheck =
  | {
      readonly ok: true
      readonly family: ScriptFamily
      readonly encodes: boolean
      readonly purity: ScriptPurity
      /** Names of outer variables that functions write to; the reason why the purity is not `pure`. */
      readonly writes: readonly string[]
      /**
       * Codes of hints for the editor: the body never returns, or the source uses features that do not exist.
       */
      readonly hints: readonly ('NO_RETURN' | 'USES_REQUIRE' | 'USES_TIMERS' | 'ASYNC')[]
    }
  | { readonly ok: false; readonly error: ScriptError }

/** An input that is already JSON text: it is sent unchanged. */
export class JsonInput {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

export interface RunOptions {
  /** keeps the script's console output */
  readonly console?: boolean
  /** runs it apart from live traffic, as a trial run */
  readonly apart?: boolean
}

/** The budgets that an account's scripts can exceed: CPU time, or crashed processes. */
export type ScriptLimit = 'scriptTime' | 'scriptCrashes'

export interface ScriptEngine extends AsyncDisposable {
  /**
   * Runs one script over many inputs in one round trip to a sandbox process; results are in the order of the
   * inputs and one failing input does not affect the others. Never rejects: all failures are in the results.
   */
  run(
    script: ScriptSource,
    inputs: readonly (ScriptInput | JsonInput)[],
    options?: RunOptions,
  ): Promise<ScriptResult[]>
  /**
   * Runs the encoder of a driver; a good result's `value` is `{ fPort?: number, bytes: hexadecimal text }`.
   */
  encode(script: ScriptSource, inputs: readonly EncodeInput[], options?: RunOptions): Promise<ScriptResult[]>
  /** Compiles and classifies a script for the editor, without calling it and apart from live traffic. */
  check(script: Omit<ScriptSource, 'id'>): Promise<ScriptCheck>
  /**
   * Whether an account's scripts were slow or crashed processes recently: work shared by several accounts
   * should not wait for this one.
   */
  isTroubled(account: number): boolean
  /** State of the sandbox processes, for the health page and the tests. */
  status(): ScriptEngineStatus
}

export interface ScriptEngineStatus {
  readonly processes: readonly { readonly pid: number; readonly outstandingInputs: number }[]
  readonly waitingCalls: number
  readonly restarts: number
  readonly quarantined: readonly string[]
}

/** All limits of the engine in one place. */
export const LIMITS = {
  /** Wall time of one call. */
  timeoutMs: 100,
  /** Runs of one input that were stopped although the script had used less than half of its time. */
  starvedRuns: 3,
  /** Heap of one isolate. */
  memoryMb: 32,
  outputChars: 64 * 1024,
  outputDepth: 24,
  inputChars: 1024 * 1024,
  sourceChars: 512 * 1024,
  /** Variable names that a check returns, and the maximum length of one. */
  names: 100,
  nameChars: 200,
  /** The result of a check, as JSON. */
  checkChars: 128 * 1024,
  consoleLines: 100,
  consoleLineChars: 500,
  errorChars: 500,
  stackChars: 1_000,
  /** Results of one slice, including their envelope. Longer ones never leave the isolate. */
  sliceChars: 1024 * 1024,
  /** Results that are sent back together, and so parsed at once. */
  partChars: 256 * 1024,
  /** One message from a sandbox process in bytes, and one to it. */
  frameBytesFrom: 8 * 1024 * 1024,
  frameBytesTo: 64 * 1024 * 1024,
  /** Inputs sent to a process in one message; larger calls are split. */
  inputsPerCall: 512,
  /**
   * Inputs that run under one timer before other calls get their turn, and the maximum duration of such a
   * slice.
   */
  inputsPerSlice: 256,
  sliceMs: 20,
  /**
   * Calls that wait for a free process before new ones fail with SCRIPT_ENGINE_BUSY. One group may have at
   * most as many waiting as remain for all others: half of them when it is alone.
   */
  waitingCalls: 4_000,
  waitingChars: 64 * 1024 * 1024,
  /** Parts of one `run` in flight at the same time. */
  partsInFlight: 4,
  /** Inputs in flight to one process. */
  outstandingInputs: 4_096,
  /** Calls in flight to one process. */
  callsPerProcess: 256,
  isolates: 24,
  /** Isolates of one group in a process. */
  isolatesPerGroup: 8,
  /** Contexts in one isolate; more of those without Buffer and lodash fit. */
  contextsPerIsolate: 16,
  plainContextsPerIsolate: 48,
  /** Scripts whose source a process keeps. */
  definitions: 1_000,
  definitionsPerGroup: 250,
  /** Timeouts in one call after which the rest fails without being run. */
  timeoutsPerCall: 10,
  /** The same if the account's scripts were slow recently. */
  timeoutsPerSlowCall: 2,
  /** Crashes of its process after which the rest of a call is given up and its script is suspended. */
  crashesPerCall: 3,
  /** Times a call is resent because a process died, whatever the cause. */
  attemptsPerCall: 8,
  quarantineMs: 30_000,
  /**
   * Deaths within a minute after which only scripts of an account that ran well before may run, and after
   * which none may.
   */
  deathsPerOwner: 4,
  deathsPerOwnerMax: 12,
  ownerRestMs: 60_000,
  /**
   * Calls of live scripts that have not answered well yet, in flight for one account: a hostile account's scripts
   * show what they are one after the other, not all at once.
   */
  unprovenCalls: 2,
  /** CPU time (halved every 5 s) beyond which an account's scripts count as slow. */
  troubledMs: 1_000,
  /**
   * Inputs stopped by the timer or for their memory (halved every 5 s) beyond which an account's scripts run apart
   * from live traffic. One is enough for its scripts that have not answered well yet.
   */
  stallsPerOwner: 3,
  /** How long a script that delayed or crashed live traffic runs apart from it. */
  culpritMs: 300_000,
  /** How long an account counts as troubled after its scripts were. */
  troubleLastsMs: 30_000,
  /** Pools of processes besides the permanent one, when accounts have their own. */
  accountPools: 16,
  /** A pool that has been idle for this long is ended. */
  poolIdleMs: 120_000,
  /** A process that has work and is silent for this long is frozen and gets killed. */
  silenceMs: 1_000,
  /** The same for processes that only run when nothing else does. */
  silenceLastMs: 10_000,
} as const
