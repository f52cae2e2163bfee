/**
 * One call (a script over many inputs) split into slices. A slice runs many inputs under one timer; if it is
 * stopped, its inputs run again one by one, so that only the input at fault gets the error.
 */
import type { Definition, PartHead, RunHead } from '../protocol.ts'
import { scanAnswers } from '../scan.ts'
import { LIMITS, type ScriptErrorCode } from '../types.ts'
import { type Guest, HostileGuest, type Isolates, runInputs, SetUpFailure } from './isolates.ts'
import { reasonOf } from './reasons.ts'
import { wasStarved } from './starved.ts'

export interface Call {
  readonly id: number
  readonly head: RunHead
  readonly definition: Definition
  readonly json: string
  /** Index of the next input without a result. */
  next: number
  /** Inputs before this index run one by one. */
  singleUntil: number
  timeouts: number
  /** How often the next input was rerun because the machine, not the script, used up its time. */
  starved: number
  /** The inputs as separate values, split on first use. */
  inputs: readonly unknown[] | undefined
  /** The context that holds the parsed inputs. */
  loadedIn: Guest | undefined
  /** Results not sent back yet, and their length in characters. */
  pieces: string[]
  chars: number
  slices: [number, number][]
  /** Time spent on the call since results were last sent back. */
  busyUs: number
}

/** A call that has not started. */
export function newCall(id: number, head: RunHead, definition: Definition, json: string): Call {
  const fresh = {
    next: 0,
    timeouts: 0,
    starved: 0,
    inputs: undefined,
    loadedIn: undefined,
    pieces: [],
    chars: 0,
    slices: [],
    busyUs: 0,
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
  const began = process.hrtime.bigint()
  let started = began
  const cpuBefore = process.cpuUsage()
  let guest: Guest | undefined
  try {
    guest = isolates.acquire(call.definition)
    started = process.hrtime.bigint()
    runSlice(call, guest, isolates, started)
  } catch (error) {
    if (guest !== undefined) isolates.dropWithHome(guest)
    stopped(call, error, started, process.cpuUsage(cpuBefore))
  }
  call.busyUs += microsecondsSince(began)
}

/** Takes the available results out of a call, as the text of a frame. */
export function takePart(call: Call): string {
  const head: PartHead = { slices: call.slices, busyUs: call.busyUs }
  const text = `${JSON.stringify(head)}\n[${call.pieces.join(',')}]`
  call.pieces = []
  call.slices = []
  call.chars = 0
  call.busyUs = 0
  return text
}

const CRASHED = 'The script crashed its sandbox, most likely by allocating too much memory at once'

function runSlice(call: Call, guest: Guest, isolates: Isolates, started: bigint): void {
  const { head } = call
  const single = isSingle(call) || guest.purity === 'context'
  let json: string | undefined
  if (single) json = `[${JSON.stringify(inputAt(call, call.next))}]`
  else if (call.loadedIn !== guest) json = call.json
  call.loadedIn = single ? undefined : guest
  const asked = single ? 1 : Math.min(LIMITS.inputsPerSlice, head.total - call.next)
  const answer = runInputs(
    guest,
    { json, from: single ? 0 : call.next, count: asked },
    head,
    LIMITS.timeoutMs + (single ? 0 : LIMITS.sliceMs),
  )
  const { count, mark, from } = cutAnswer(answer, asked)
  if (mark !== ';') {
    // Each mark is accepted once; a script that repeats it would otherwise loop forever.
    if (guest.purity === (mark === '!' ? 'module' : 'context') || guest.purity === 'context')
      throw new HostileGuest('The answer is not written as answers are')
    isolates.learn(guest, mark === '!' ? 'module' : 'context')
    call.loadedIn = undefined
    return
  }
  const { fault } = scanAnswers(answer, count, from)
  if (fault !== undefined) throw new HostileGuest(`The answer is not right: ${fault}`)
  if (guest.purity === 'context') isolates.drop(guest)
  keep(call, answer.slice(from), count, microsecondsSince(started))
}

function keep(call: Call, pieces: string, count: number, microseconds: number): void {
  call.pieces.push(pieces)
  call.chars += pieces.length
  call.slices.push([count, microseconds])
  call.next += count
  call.starved = 0
}

/** `<count><mark><pieces>`; anything else does not come from the harness. */
function cutAnswer(answer: string, asked: number): { count: number; mark: string; from: number } {
  const match = /^(\d{1,4})([;!#])/.exec(answer)
  const [start = '', digits, mark = ''] = match ?? []
  const count = Number(digits)
  const isRight = mark === ';' ? count >= 1 && count <= asked : match !== null && count === 0
  if (!isRight) throw new HostileGuest('The answer is not written as answers are')
  return { count, mark, from: start.length }
}

function inputAt(call: Call, index: number): unknown {
  if (call.inputs === undefined) call.inputs = JSON.parse(call.json) as unknown[]
  return call.inputs[index]
}

/**
 * The slice was stopped: by the timer, by the memory limit, because its result is invalid, or because the
 * script cannot be set up.
 */
function stopped(call: Call, error: unknown, started: bigint, cpu: NodeJS.CpuUsage): void {
  call.loadedIn = undefined
  const { code, message, stack } = reasonOf(error)
  if (code === 'SCRIPT_TIMEOUT' && (isSingle(call) || error instanceof SetUpFailure)) {
    if (wasStarved(cpu) && call.starved < LIMITS.starvedRuns) {
      call.starved++
      return
    }
  }
  if (error instanceof SetUpFailure) {
    while (call.next < call.head.total) answerFailure(call, code, message, stack, microsecondsSince(started))
    return
  }
  if (!isSingle(call)) {
    call.singleUntil = Math.min(call.next + LIMITS.inputsPerSlice, call.head.total)
    return
  }
  answerFailure(call, code, message, '', microsecondsSince(started))
  if (code === 'SCRIPT_TIMEOUT') call.timeouts++
  if (call.timeouts >= call.head.timeoutsMax)
    while (call.next < call.head.total)
      answerFailure(call, code, `Not run: the script ran out of time on ${call.timeouts} other messages`)
}

function answerFailure(call: Call, code: ScriptErrorCode, message: string, stack = '', us = 0): void {
  const lines = call.head.console ? { l: [] } : {}
  keep(call, JSON.stringify({ c: code, e: message, s: stack, ...lines }), 1, us)
}

function microsecondsSince(started: bigint): number {
  return Number((process.hrtime.bigint() - started) / 1000n)
}
