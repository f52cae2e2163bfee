/**
 * The isolates of one sandbox process. Scripts of one group share isolates, each in its own context; the
 * number of isolates and contexts is limited, and the least recently used isolate is evicted first. A context
 * costs about 0.2 MB, with the libraries 0.4 MB, so only a few fit into one isolate's memory beside the
 * scripts' own data.
 */
import ivm from 'isolated-vm'
import type { Definition } from '../protocol.ts'
import { LIMITS, type ScriptErrorCode, type ScriptPurity } from '../types.ts'
import { type Compiled, compile } from './compile.ts'
import { TAKE_HARNESS, takeSnapshot } from './preload.ts'

/**
 * Calls a script inside its isolate; see `guest/harness.js`. Returns a text within the limit of a slice, or
 * the length of a longer one, which stays there.
 */
type Speak = (
  json: string | undefined,
  from: number,
  limit: number,
  budgetMs: number,
  console: boolean,
  entry: 'decode' | 'encode',
) => string | number

/** Special value of the limit instead of a number of inputs; the same as in `guest/harness.js`. */
const RECOGNISE = -1

export interface Guest {
  readonly key: string
  readonly home: Home
  readonly purity: ScriptPurity
  readonly context: ivm.Context
  readonly speak: ivm.Reference<Speak>
}

/** A result is longer than possible, or not a result at all: the script has gained access to the harness. */
export class HostileGuest extends Error {}

interface Home {
  readonly group: string
  readonly libraries: boolean
  readonly isolate: ivm.Isolate
  readonly guests: Map<string, Guest>
  /** Contexts created in the isolate so far; old ones are garbage until V8 collects them. */
  made: number
}

/** A failure to set a script up, with the error code of the result. */
export class SetUpFailure extends Error {
  readonly code: ScriptErrorCode
  constructor(code: ScriptErrorCode, message: string, stack: string) {
    super(message)
    this.code = code
    this.stack = stack
  }
}

/**
 * Runs some inputs of a batch; the result has the format of `guest/harness.js`. Throws HostileGuest if it is
 * invalid.
 */
export function runInputs(
  guest: Guest,
  inputs: { json: string | undefined; from: number; count: number },
  how: { console: boolean; entry: 'decode' | 'encode' },
  timeout: number,
): string {
  const answer = guest.speak.applySync(
    undefined,
    [inputs.json, inputs.from, inputs.count, LIMITS.sliceMs, how.console, how.entry],
    { timeout },
  )
  return textOf(answer)
}

/** The classification of a script from its set-up, as written by `guest/harness.js`. */
export function recognise(guest: Guest): string {
  const answer = guest.speak.applySync(undefined, [undefined, 0, RECOGNISE, 0, false, 'decode'], {
    timeout: LIMITS.timeoutMs,
  })
  return textOf(answer)
}

function textOf(answer: unknown): string {
  if (typeof answer !== 'string' || answer.length > LIMITS.sliceChars)
    throw new HostileGuest('The answer is longer than answers can be')
  return answer
}

function leave(): void {
  process.kill(process.pid, 'SIGKILL')
  // As the init process of its namespace it ignores its own signals.
  process.abort()
}

/** Number of contexts created in an isolate before it is disposed, as each may leave memory behind. */
const CONTEXTS_MADE_MAX = 2_000

export class Isolates {
  private readonly plainSnapshot = takeSnapshot(false)
  private readonly fullSnapshot = takeSnapshot(true)
  /** In order of use, least recently used first. */
  private readonly homes = new Set<Home>()
  private readonly byKey = new Map<string, Guest>()
  private readonly compiled = new Map<string, Compiled>()
  /** Classifications found at run time, which static analysis missed. */
  private readonly learnt = new Map<string, ScriptPurity>()

  /** Opens an isolate and a context once, so that a process that cannot do so never reports itself ready. */
  proveReady(): void {
    for (const snapshot of [this.plainSnapshot, this.fullSnapshot]) {
      const isolate = new ivm.Isolate({ memoryLimit: LIMITS.memoryMb, snapshot })
      const found: unknown = isolate.createContextSync().evalSync(`typeof ${TAKE_HARNESS}.create`)
      if (found !== 'function') throw new Error('The start-up snapshot holds no harness')
      isolate.dispose()
    }
  }

  /** The wrapped and classified form of a script; cached until `forget`. */
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

  /** Records that a script needs more isolation, and drops the context it has changed. */
  learn(guest: Guest, purity: ScriptPurity): void {
    this.learnt.set(guest.key, purity)
    this.drop(guest)
  }

  /**
   * A context in which the script is ready to run. Throws SetUpFailure when the source does not compile, and
   * isolated-vm's error when the set-up takes too long or too much memory.
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

  /** Disposes of a context, for example because a call in it was interrupted. */
  drop(guest: Guest): void {
    if (this.byKey.get(guest.key) === guest) this.byKey.delete(guest.key)
    guest.home.guests.delete(guest.key)
    if (guest.home.isolate.isDisposed) {
      this.dropHome(guest.home)
      return
    }
    guest.speak.release()
    guest.context.release()
    if (guest.home.made >= CONTEXTS_MADE_MAX) this.dropHome(guest.home)
  }

  /** Removes everything about a script. */
  forget(key: string): void {
    const guest = this.byKey.get(key)
    if (guest !== undefined) this.drop(guest)
    this.compiled.delete(key)
    this.learnt.delete(key)
  }

  /**
   * Disposes of the whole isolate of a script that was stopped: its microtasks would continue to run there.
   */
  dropWithHome(guest: Guest): void {
    this.drop(guest)
    this.dropHome(guest.home)
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
    const own: Home[] = []
    for (const home of this.homes) {
      if (home.isolate.isDisposed) this.dropHome(home)
      else if (home.group !== group) continue
      else if (home.libraries === libraries && home.guests.size < contextsMax) {
        this.touch(home)
        return home
      } else own.push(home)
    }
    // A group with ever-new scripts evicts its own, not those of others.
    const [oldest] = own.length >= LIMITS.isolatesPerGroup ? own : this.homes
    if (oldest !== undefined && (own.length >= LIMITS.isolatesPerGroup || this.homes.size >= LIMITS.isolates))
      this.dropHome(oldest)
    const isolate = new ivm.Isolate({
      memoryLimit: LIMITS.memoryMb,
      snapshot: libraries ? this.fullSnapshot : this.plainSnapshot,
      // V8's state is corrupt: exit at once, the server starts another process.
      onCatastrophicError: leave,
    })
    const home: Home = { group, libraries, isolate, guests: new Map(), made: 0 }
    this.homes.add(home)
    return home
  }

  private create(home: Home, definition: Definition): Guest {
    const { code, columnOffset, parameters, watched, analysis } = this.prepare(definition)
    const purity = this.purityOf(definition)
    home.made++
    const context = home.isolate.createContextSync()
    const timeout = { timeout: LIMITS.timeoutMs }
    try {
      const harness = context.evalSync(TAKE_HARNESS, { reference: true }) as ivm.Reference<Harness>
      const script = home.isolate.compileScriptSync(code, { filename: 'script.js', columnOffset })
      // A source that acorn parses completely cannot close the wrapper around it; otherwise V8 has to confirm
      // that.
      if (analysis === undefined && !isBody(harness, definition.source))
        throw new SetUpFailure('SCRIPT_SYNTAX', 'The script closes more brackets than it opens', '')
      const factory = script.runSync(context, { reference: true, ...timeout }) as ivm.Reference<unknown>
      script.release()
      const options = new ivm.ExternalCopy({ recvTime: definition.recvTime, parameters, purity, watched })
      const create = harness.getSync('create', { reference: true })
      const speak = create.applySync(
        undefined,
        [factory.derefInto({ release: true }), definition.kind, options.copyInto({ release: true })],
        { result: { reference: true }, ...timeout },
      ) as ivm.Reference<Speak>
      create.release()
      harness.release()
      return { key: definition.key, home, purity, context, speak }
    } catch (error) {
      if (!home.isolate.isDisposed) context.release()
      throw error instanceof SyntaxError
        ? new SetUpFailure('SCRIPT_SYNTAX', error.message, error.stack ?? '')
        : error
    }
  }
}

interface Harness {
  create: (factory: unknown, kind: string, options: unknown) => Speak
  isBody: (source: string) => boolean
}

function isBody(harness: ivm.Reference<Harness>, source: string): boolean {
  const reference = harness.getSync('isBody', { reference: true })
  const found: unknown = reference.applySync(undefined, [source], { timeout: LIMITS.timeoutMs })
  reference.release()
  return found === true
}
