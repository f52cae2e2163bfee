/**
 * The isolates of one sandbox process. Scripts of one group share isolates, each in a context of its own; isolates
 * and contexts are bounded, the least recently used isolate goes first. A context costs about 0.2 MB, with the
 * libraries 0.4 MB, so only so many of them fit beside the scripts' own data into one isolate's memory.
 */
import ivm from 'isolated-vm'
import type { Definition } from '../protocol.ts'
import { LIMITS, type ScriptErrorCode, type ScriptPurity } from '../types.ts'
import { type Compiled, compile } from './compile.ts'
import { TAKE_HARNESS, takeSnapshot } from './preload.ts'

/** Runs inputs inside the isolate; see `guest/harness.js` for the answer. */
type GuestRun = (
  json: string | undefined,
  from: number,
  limit: number,
  budgetMs: number,
  console: boolean,
  entry: 'decode' | 'encode',
) => string

export interface Guest {
  readonly key: string
  readonly home: Home
  readonly purity: ScriptPurity
  readonly context: ivm.Context
  readonly run: ivm.Reference<GuestRun>
}

interface Home {
  readonly group: string
  readonly libraries: boolean
  readonly isolate: ivm.Isolate
  readonly guests: Map<string, Guest>
  /** Contexts made in the isolate so far; the old ones are garbage until V8 gets round to them. */
  made: number
}

/** A failure to set a script up, already in the terms of an answer. */
export class SetUpFailure extends Error {
  readonly code: ScriptErrorCode
  constructor(code: ScriptErrorCode, message: string, stack: string) {
    super(message)
    this.code = code
    this.stack = stack
  }
}

/** Memory that fresh contexts may leave behind before their isolate is given up. */
const CONTEXTS_MADE_MAX = 2_000

export class Isolates {
  private readonly plainSnapshot = takeSnapshot(false)
  private readonly fullSnapshot = takeSnapshot(true)
  /** In order of use, the least recently used first. */
  private readonly homes = new Set<Home>()
  private readonly byKey = new Map<string, Guest>()
  private readonly compiled = new Map<string, Compiled>()
  /** What a script turned out to be while running, which its text did not tell. */
  private readonly learnt = new Map<string, ScriptPurity>()

  /** Opens an isolate and a context once, so that a process that cannot do so never calls itself ready. */
  proveReady(): void {
    for (const snapshot of [this.plainSnapshot, this.fullSnapshot]) {
      const isolate = new ivm.Isolate({ memoryLimit: LIMITS.memoryMb, snapshot })
      const found: unknown = isolate.createContextSync().evalSync(`typeof ${TAKE_HARNESS}`)
      if (found !== 'function') throw new Error('The start-up snapshot holds no harness')
      isolate.dispose()
    }
  }

  /** The text form of a script, wrapped and judged; kept until `forget`. */
  prepare(definition: Definition): Compiled {
    let compiled = this.compiled.get(definition.key)
    if (compiled === undefined) {
      compiled = compile(definition)
      this.compiled.set(definition.key, compiled)
    }
    return compiled
  }

  purityOf(definition: Definition): ScriptPurity {
    return this.learnt.get(definition.key) ?? this.prepare(definition).purity
  }

  /** Remembers that a script needs more shielding, and drops the context it has spoilt. */
  learn(guest: Guest, purity: ScriptPurity): void {
    this.learnt.set(guest.key, purity)
    this.drop(guest)
  }

  /**
   * A context in which the script is ready to run. Throws SetUpFailure where the source does not compile, and what
   * isolated-vm throws where setting it up takes too long or too much memory.
   */
  acquire(definition: Definition): Guest {
    const known = this.byKey.get(definition.key)
    if (known !== undefined) {
      if (!known.home.isolate.isDisposed) {
        this.touch(known.home)
        return known
      }
      this.dropHome(known.home)
    }
    const guest = this.create(this.homeFor(definition.group, this.prepare(definition).libraries), definition)
    guest.home.guests.set(definition.key, guest)
    this.byKey.set(definition.key, guest)
    return guest
  }

  /** Gives a context up, for example because a call in it was stopped half-way. */
  drop(guest: Guest): void {
    if (this.byKey.get(guest.key) === guest) this.byKey.delete(guest.key)
    guest.home.guests.delete(guest.key)
    if (guest.home.isolate.isDisposed) {
      this.dropHome(guest.home)
      return
    }
    guest.run.release()
    guest.context.release()
    if (guest.home.made >= CONTEXTS_MADE_MAX) this.dropHome(guest.home)
  }

  /** Forgets everything about a script. */
  forget(key: string): void {
    const guest = this.byKey.get(key)
    if (guest !== undefined) this.drop(guest)
    this.compiled.delete(key)
    this.learnt.delete(key)
  }

  private touch(home: Home): void {
    this.homes.delete(home)
    this.homes.add(home)
  }

  private dropHome(home: Home): void {
    this.homes.delete(home)
    for (const guest of home.guests.values())
      if (this.byKey.get(guest.key) === guest) this.byKey.delete(guest.key)
    home.guests.clear()
    if (!home.isolate.isDisposed) home.isolate.dispose()
  }

  private homeFor(group: string, libraries: boolean): Home {
    const contextsMax = libraries ? LIMITS.contextsPerIsolate : LIMITS.plainContextsPerIsolate
    for (const home of this.homes) {
      if (home.isolate.isDisposed) this.dropHome(home)
      else if (home.group === group && home.libraries === libraries && home.guests.size < contextsMax) {
        this.touch(home)
        return home
      }
    }
    if (this.homes.size >= LIMITS.isolates) {
      const [oldest] = this.homes
      if (oldest !== undefined) this.dropHome(oldest)
    }
    const isolate = new ivm.Isolate({
      memoryLimit: LIMITS.memoryMb,
      snapshot: libraries ? this.fullSnapshot : this.plainSnapshot,
      // V8 has lost control over the process: leave at once, the server starts another one.
      onCatastrophicError: () => process.kill(process.pid, 'SIGKILL'),
    })
    const home: Home = { group, libraries, isolate, guests: new Map(), made: 0 }
    this.homes.add(home)
    return home
  }

  private create(home: Home, definition: Definition): Guest {
    const { code, columnOffset, parameters, watched } = this.prepare(definition)
    const purity = this.purityOf(definition)
    home.made++
    const context = home.isolate.createContextSync()
    const timeout = { timeout: LIMITS.timeoutMs }
    const harness = context.evalSync(TAKE_HARNESS, { reference: true })
    let factory: ivm.Reference<unknown>
    try {
      const script = home.isolate.compileScriptSync(code, { filename: 'script.js', columnOffset })
      factory = script.runSync(context, { reference: true, ...timeout })
      script.release()
    } catch (error) {
      context.release()
      throw error instanceof SyntaxError
        ? new SetUpFailure('SCRIPT_SYNTAX', error.message, error.stack ?? '')
        : error
    }
    const options = new ivm.ExternalCopy({ recvTime: definition.recvTime, parameters, purity, watched })
    const run = harness.applySync(
      undefined,
      [factory.derefInto({ release: true }), definition.kind, options.copyInto({ release: true })],
      { result: { reference: true }, ...timeout },
    ) as ivm.Reference<GuestRun>
    harness.release()
    return { key: definition.key, home, purity, context, run }
  }
}
