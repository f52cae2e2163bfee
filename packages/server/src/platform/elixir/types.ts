import type { ErrorCode } from '@leitstand/contract/errors'

/** Every bound of parsers in Elixir in one place; those of a call are the ones of the script engine. */
export const elixirLimits = {
  /** handed to the process */
  runner: {
    /** wall time of one call, as long as the machine gives the parser its turn */
    ms: 100,
    compile_ms: 5_000,
    /** bytes of a call's heap, and of all that the process holds */
    heap: 32_000_000,
    total: 300_000_000,
    /** bytes of an answer as JSON */
    output: 65_536,
    /** after so many timeouts in one call the rest of it is answered without being run */
    timeouts: 10,
    /** console lines of a call, and their length */
    lines: 100,
    chars: 500,
    /** steps of the BEAM below which a call that takes long is taken for starved */
    reductions: 4_000_000,
  },
  /** data of the process as the operating system counts it, in KB */
  dataKb: 1_500_000,
  frameBytesMax: 64 * 1024 * 1024,
  inputsPerCall: 50,
  /** inputs that wait; more are answered with SCRIPT_ENGINE_BUSY */
  waitingMax: 4_000,
  /** parsers the process knows at a time */
  slots: 100,
  /** parsers after which the process is replaced: their names stay in it for ever */
  definitionsMax: 500,
  /** a process that says nothing for so long is frozen and gets killed */
  silenceMs: 60_000,
  crashesMax: 3,
  quarantineMs: 30_000,
} as const

export interface ElixirInput {
  /** bytes, or JSON data */
  payload: unknown
  meta: Readonly<Record<string, unknown>>
}

/** As the script engine answers. */
export type ElixirAnswer =
  | { ok: true; value: unknown; durationUs: number; console?: readonly string[] }
  | {
      ok: false
      error: { code: ErrorCode; message: string; line?: number }
      durationUs: number
      console?: readonly string[]
    }
