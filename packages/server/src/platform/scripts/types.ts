/** What a script is for; it decides the arguments the script gets and what it may answer. */
export type ScriptKind = 'driver' | 'template' | 'transformer' | 'filter' | 'condition'

/**
 * One version of one script.
 *
 * - `id` names the script for logs and errors; the compiled form is cached by its kind, source and options.
 * - `group` says who owns it (an account): scripts of one group may share an isolate, each in a context of its
 *   own, scripts of two groups never do. Without it a script shares with nobody.
 * - `account` is the account whose budgets of time and crashes the script uses up; a group `account:<id>` names it, too.
 * - `parameters` are the variable names a `filter` or `condition` can use directly. Names that are not JavaScript
 *   identifiers are reached as `variables['some name']`.
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
 * What one call of a script gets. Which fields count depends on the kind:
 *
 * - `driver`: `bytes` (hexadecimal text) with `fPort`, or `payload` (any JSON value); `time` (ISO 8601), `meta`,
 *   `variables` (configuration of the device, text by name).
 * - `template`: `payload`, or `json` (the same as text, parsed inside the sandbox), or `bytes`; `meta`.
 * - `transformer`: `value`, `meta`, and for aggregates `values`.
 * - `filter`, `condition`: `variables` by name, `metrics`, `meta`.
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

/** What `encodeDownlink` (or the older `Encoder`, `Encode`) gets. */
export interface EncodeInput {
  readonly data: unknown
  readonly fPort?: number
  readonly variables?: Readonly<Record<string, string>>
}

export type ScriptErrorCode =
  /** The source is not JavaScript; line and column say where. */
  | 'SCRIPT_SYNTAX'
  /** The source has none of the functions that its kind needs. */
  | 'SCRIPT_NO_FUNCTION'
  /** The script threw, or reported errors itself. */
  | 'SCRIPT_ERROR'
  /** One call took longer than `LIMITS.timeoutMs`. */
  | 'SCRIPT_TIMEOUT'
  /** The isolate grew past `LIMITS.memoryMb`. */
  | 'SCRIPT_MEMORY'
  /** The call took its whole process down or froze it: nearly always memory taken too fast to be stopped. */
  | 'SCRIPT_CRASHED'
  /** The answer is larger than `LIMITS.outputChars` as JSON. */
  | 'SCRIPT_OUTPUT_TOO_LARGE'
  /** The answer is nested deeper than `LIMITS.outputDepth`, contains itself, or is a promise. */
  | 'SCRIPT_OUTPUT_INVALID'
  /** The input is larger than `LIMITS.inputChars` as JSON, or the script needs bytes and got a JSON value. */
  | 'SCRIPT_INPUT_INVALID'
  /** The script crashed its process repeatedly and rests for `LIMITS.quarantineMs`. */
  | 'SCRIPT_QUARANTINED'
  /** More calls are waiting than `LIMITS.waitingCalls`, or the engine is stopping. */
  | 'SCRIPT_ENGINE_BUSY'

export interface ScriptError {
  readonly code: ScriptErrorCode
  readonly message: string
  /** Position in the source as the author sees it, both from 1. */
  readonly line?: number
  readonly column?: number
}

/**
 * The answer to one input. `value` is plain JSON data, or `undefined` where the script answered nothing (a
 * transformer drops the value, a template the message). `durationUs`, whole microseconds, is measured alone when the call had one
 * input, else it is the average over the inputs that ran in one go.
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

/** Which of the known calling conventions a script follows. */
export type ScriptFamily = 'function' | 'decodeUplink' | 'Decoder' | 'Decode' | 'body'

/**
 * - `pure`: nothing outlives a call.
 * - `module`: variables outside of functions are written during a call; they are set up anew for each call.
 * - `context`: built-in objects or globals are changed during a call; every call gets a fresh context (slow).
 */
export type ScriptPurity = 'pure' | 'module' | 'context'

export type ScriptCheck =
  | {
      readonly ok: true
      readonly family: ScriptFamily
      readonly encodes: boolean
      readonly purity: ScriptPurity
      /** Names of outer variables that functions write to; why the purity is not `pure`. */
      readonly writes: readonly string[]
      /** Codes of hints for the editor: the body never returns, the source asks for what is not there. */
      readonly hints: readonly ('NO_RETURN' | 'USES_REQUIRE' | 'USES_TIMERS' | 'ASYNC')[]
    }
  | { readonly ok: false; readonly error: ScriptError }

/** An input that is JSON text already: it is sent as it is. */
export class JsonInput {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

export interface RunOptions {
  /** keeps what the script logs */
  readonly console?: boolean
  /** runs it apart from live traffic, because somebody is only trying it */
  readonly apart?: boolean
}

/** What an account's scripts may use too much of: processor time, or the processes that they take down. */
export type ScriptLimit = 'scriptTime' | 'scriptCrashes'

export interface ScriptEngine extends AsyncDisposable {
  /**
   * Runs one script over many inputs in one trip to a sandbox process; the answers come in the order of the inputs
   * and one failing input does not affect the others. Never rejects: whatever goes wrong is in the answers.
   */
  run(
    script: ScriptSource,
    inputs: readonly (ScriptInput | JsonInput)[],
    options?: RunOptions,
  ): Promise<ScriptResult[]>
  /** Runs the encoder of a driver; a good answer's `value` is `{ fPort?: number, bytes: hexadecimal text }`. */
  encode(script: ScriptSource, inputs: readonly EncodeInput[], options?: RunOptions): Promise<ScriptResult[]>
  /** Compiles and recognises a script for the editor, without calling it and apart from live traffic. */
  check(script: Omit<ScriptSource, 'id'>): Promise<ScriptCheck>
  /**
   * Whether an account's scripts have lately been slow, or taken processes down: where several accounts wait for one
   * another, they should not wait for this one.
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

/** Every bound of the engine in one place. */
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
  /** Names of variables that a check tells, and how long one may be. */
  names: 100,
  nameChars: 200,
  /** What a check finds, as JSON. */
  checkChars: 128 * 1024,
  consoleLines: 100,
  consoleLineChars: 500,
  errorChars: 500,
  stackChars: 1_000,
  /** Answers of one slice, with everything that comes along. Longer ones never leave the isolate. */
  sliceChars: 1024 * 1024,
  /** Answers that are sent back together: so much is parsed at once. */
  partChars: 256 * 1024,
  /** One message of a sandbox process in bytes, and one to it. */
  frameBytesFrom: 8 * 1024 * 1024,
  frameBytesTo: 64 * 1024 * 1024,
  /** Inputs sent to a process in one message; larger calls are split. */
  inputsPerCall: 512,
  /** Inputs that run under one timer before other calls get their turn, and how long such a slice may go on. */
  inputsPerSlice: 256,
  sliceMs: 20,
  /**
   * Calls that wait for a free process before new ones are answered with SCRIPT_ENGINE_BUSY. One group has as many
   * waiting at most as all others may still have: half of it when it is alone.
   */
  waitingCalls: 4_000,
  waitingChars: 64 * 1024 * 1024,
  /** Parts of one `run` that are on their way at the same time. */
  partsInFlight: 4,
  /** Inputs on the way to one process at a time. */
  outstandingInputs: 4_096,
  /** Calls on the way to one process at a time. */
  callsPerProcess: 256,
  isolates: 24,
  /** Isolates of one group in a process. */
  isolatesPerGroup: 8,
  /** Contexts in one isolate; of those without Buffer and lodash more fit. */
  contextsPerIsolate: 16,
  plainContextsPerIsolate: 48,
  /** Scripts a process remembers the source of. */
  definitions: 1_000,
  definitionsPerGroup: 250,
  /** After so many timeouts in one call the rest of it is answered without being run. */
  timeoutsPerCall: 10,
  /** The same where the account's scripts were slow lately. */
  timeoutsPerSlowCall: 2,
  /** After so many crashes of its process the rest of a call is given up and its script rests. */
  crashesPerCall: 3,
  /** Times a call is sent again because a process died, whoever was to blame. */
  attemptsPerCall: 8,
  quarantineMs: 30_000,
  /** Deaths within a minute after which only those scripts of an account run that ran well before, and none. */
  deathsPerOwner: 4,
  deathsPerOwnerMax: 12,
  ownerRestMs: 60_000,
  /** Processor time (what was used 5 s ago counts half) beyond which an account's scripts are slow. */
  troubledMs: 1_000,
  /** Inputs stopped by the timer (those of 5 s ago count half) beyond which an account's scripts run apart from live traffic. */
  stallsPerOwner: 3,
  /** How long an account counts as troubled after its scripts were. */
  troubleLastsMs: 30_000,
  /** Pools of processes besides the one that is always there, where accounts have their own. */
  accountPools: 16,
  /** A pool that nothing needed for so long is ended. */
  poolIdleMs: 120_000,
  /** A process that has work and says nothing for so long is frozen and gets killed. */
  silenceMs: 1_000,
} as const
