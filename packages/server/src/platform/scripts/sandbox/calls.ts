/**
 * One call (a script over many inputs) cut into slices. A slice runs many inputs under one timer; where it is stopped
 * the inputs of it run again one by one, so that exactly the guilty one is answered with the error.
 */
import type { Definition, RunHead } from '../protocol.ts'
import { LIMITS, type ScriptErrorCode } from '../types.ts'
import { type Guest, type Isolates, SetUpFailure } from './isolates.ts'
import { wasStarved } from './starved.ts'

export interface Call {
  readonly id: number
  readonly head: RunHead
  readonly definition: Definition
  readonly json: string
  /** Index of the next input without an answer. */
  next: number
  /** Inputs up to here run one by one. */
  singleUntil: number
  timeouts: number
  /** How often the next input was run again because the machine, not the script, used up its time. */
  starved: number
  /** The inputs one by one, cut up when they are first needed so. */
  inputs: readonly unknown[] | undefined
  /** The context that holds the parsed inputs. */
  loadedIn: Guest | undefined
  readonly pieces: string[]
  readonly slices: [number, number][]
}

/** A call that has not run yet. */
export function newCall(id: number, head: RunHead, definition: Definition, json: string): Call {
  const fresh = {
    next: 0,
    timeouts: 0,
    starved: 0,
    inputs: undefined,
    loadedIn: undefined,
    pieces: [],
    slices: [],
  }
  return { id, head, definition, json, singleUntil: head.singleUntil, ...fresh }
}

/** Whether the next slice is a single input. */
export function isSingle(call: Call): boolean {
  return call.next < call.singleUntil || call.head.total === 1
}

/** Runs the next slice. The call is finished when `next` has reached the total. */
export function step(call: Call, isolates: Isolates): void {
  if (call.head.crashed.includes(call.next)) {
    answerFailure(call, 'SCRIPT_CRASHED', CRASHED)
    return
  }
  let started = process.hrtime.bigint()
  const cpuBefore = process.cpuUsage()
  let guest: Guest | undefined
  try {
    guest = isolates.acquire(call.definition)
    started = process.hrtime.bigint()
    runSlice(call, guest, isolates, started)
  } catch (error) {
    if (guest !== undefined) isolates.drop(guest)
    stopped(call, error, started, process.cpuUsage(cpuBefore))
  }
}

const CRASHED = 'The script took its sandbox down, most likely by asking for too much memory at once'

function runSlice(call: Call, guest: Guest, isolates: Isolates, started: bigint): void {
  const { head } = call
  const single = isSingle(call) || guest.purity === 'context'
  let json: string | undefined
  if (single) json = `[${JSON.stringify(inputAt(call, call.next))}]`
  else if (call.loadedIn !== guest) json = call.json
  call.loadedIn = single ? undefined : guest
  const answer = guest.run.applySync(
    undefined,
    [
      json,
      single ? 0 : call.next,
      single ? 1 : LIMITS.inputsPerSlice,
      LIMITS.sliceMs,
      head.console,
      head.entry,
    ],
    { timeout: LIMITS.timeoutMs + (single ? 0 : LIMITS.sliceMs) },
  )
  const [count, mark, pieces] = cutAnswer(answer)
  if (mark !== ';' && guest.purity !== 'context') {
    isolates.learn(guest, mark === '!' ? 'module' : 'context')
    call.loadedIn = undefined
    return
  }
  if (guest.purity === 'context') isolates.drop(guest)
  call.pieces.push(pieces)
  call.slices.push([count, microsecondsSince(started)])
  call.next += count
  call.starved = 0
}

/** `<count><mark><pieces>`; anything else means that the sandbox's own part is broken. */
function cutAnswer(answer: unknown): readonly [number, string, string] {
  const match = typeof answer === 'string' ? /^(\d+)([;!#])/.exec(answer) : null
  if (typeof answer !== 'string' || match === null) throw new Error('The sandbox gave no answer')
  return [Number(match[1]), String(match[2]), answer.slice(match[0].length)]
}

function inputAt(call: Call, index: number): unknown {
  if (call.inputs === undefined) call.inputs = JSON.parse(call.json) as unknown[]
  return call.inputs[index]
}

/** The slice was stopped: by the timer, the memory limit, or because the script cannot be set up. */
function stopped(call: Call, error: unknown, started: bigint, cpu: NodeJS.CpuUsage): void {
  call.loadedIn = undefined
  const code = error instanceof SetUpFailure ? error.code : reasonOf(error)[0]
  if (code === 'SCRIPT_TIMEOUT' && (isSingle(call) || error instanceof SetUpFailure)) {
    if (wasStarved(cpu) && call.starved < LIMITS.starvedRuns) {
      call.starved++
      return
    }
  }
  if (error instanceof SetUpFailure) {
    while (call.next < call.head.total)
      answerFailure(call, error.code, error.message, error.stack, microsecondsSince(started))
    return
  }
  const [, message] = reasonOf(error)
  if (!isSingle(call)) {
    call.singleUntil = Math.min(call.next + LIMITS.inputsPerSlice, call.head.total)
    return
  }
  answerFailure(call, code, message, '', microsecondsSince(started))
  if (code === 'SCRIPT_TIMEOUT') call.timeouts++
  if (call.timeouts >= LIMITS.timeoutsPerCall)
    while (call.next < call.head.total)
      answerFailure(call, code, `Not run: the script ran out of time on ${call.timeouts} other messages`)
}

function reasonOf(error: unknown): readonly [ScriptErrorCode, string] {
  const message = error instanceof Error ? error.message : String(error)
  if (/timed out/.test(message))
    return ['SCRIPT_TIMEOUT', `The script took longer than ${LIMITS.timeoutMs} ms`]
  if (/memory|disposed|allocation/i.test(message))
    return ['SCRIPT_MEMORY', `The script needed more than ${LIMITS.memoryMb} MB`]
  return ['SCRIPT_ERROR', message.slice(0, LIMITS.errorChars)]
}

function answerFailure(call: Call, code: ScriptErrorCode, message: string, stack = '', us = 0): void {
  const lines = call.head.console ? { l: [] } : {}
  call.pieces.push(JSON.stringify({ c: code, e: message, s: stack.slice(0, 1000), ...lines }))
  call.slices.push([1, us])
  call.next++
  call.starved = 0
}

function microsecondsSince(started: bigint): number {
  return Number((process.hrtime.bigint() - started) / 1000n)
}
