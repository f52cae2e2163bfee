/** A call in progress: waiting, sent to a process, answered. */
import { failed } from './answers.ts'
import type { Definition, Mark, RunHead } from './protocol.ts'
import { LIMITS, type ScriptCheck, type ScriptErrorCode, type ScriptResult } from './types.ts'

/** The work of a call: the inputs of one part of a `run`, or a check of a script. */
export type Asked =
  | { readonly kind: 'run'; readonly head: Omit<RunHead, 'singleUntil' | 'crashed' | 'timeoutsMax'> }
  | { readonly kind: 'check' }

export interface PendingCall {
  readonly id: number
  /** name of the script, for the log of limits */
  readonly script: string
  /** the account whose budgets it uses */
  readonly owner: string
  readonly account: number | null
  readonly definition: Definition
  readonly asked: Asked
  /** the inputs as JSON, or the definition */
  readonly text: string
  readonly total: number
  /** processes that may run it */
  pool: string
  /** the pool it runs in when it is suspected of crashing processes */
  readonly apart: string
  /** the pool it runs in when its owner's scripts were slow or crashed processes recently */
  readonly last: string
  readonly crashed: number[]
  singleUntil: number
  /** a process has died while working on this call */
  suspected: boolean
  attempts: number
  /** when, in milliseconds of a monotonic clock */
  sentAt: number
  /** it was sent as live traffic, and its script had not answered well before */
  sentUnproven: boolean
  results: ScriptResult[]
  answer(outcome: ScriptResult[] | ScriptCheck): void
}

/** Fails a call that has not run, or the rest of it. */
export function giveUp(call: PendingCall, code: ScriptErrorCode, message: string): void {
  call.answer(
    call.asked.kind === 'check'
      ? { ok: false, error: { code, message } }
      : Array.from({ length: call.total }, () => failed(code, message)),
  )
}

/**
 * The text of its request frame.
 * @param isSlow whether its owner's scripts were slow recently: then fewer of its inputs may time out
 */
export function frameText(call: PendingCall, isSlow: boolean): string {
  if (call.asked.kind === 'check') return call.text
  const { singleUntil, crashed } = call
  const timeoutsMax = isSlow ? LIMITS.timeoutsPerSlowCall : LIMITS.timeoutsPerCall
  const head: RunHead = { ...call.asked.head, singleUntil, crashed, timeoutsMax }
  return `${JSON.stringify(head)}\n${call.text}`
}

/**
 * Records that a process died during a call; from then on the call runs its inputs one by one. A process can
 * also die for other reasons, such as being killed by the system or an operator, so one death proves nothing.
 * @returns whether the input at the mark is now proven to be the cause; it is not run again
 */
export function diedAt(call: PendingCall, mark: Mark): boolean {
  call.singleUntil = Math.min(mark.next + LIMITS.inputsPerSlice, call.total)
  const again = call.suspected
  call.suspected = true
  call.pool = call.apart
  if (!mark.single || !again) return false
  call.crashed.push(mark.next)
  return true
}

/** Whether so many processes have died during a call that it is given up. */
export function isHopeless(call: PendingCall): boolean {
  const crashesMax = call.asked.kind === 'check' ? 1 : LIMITS.crashesPerCall
  return call.crashed.length >= crashesMax || call.attempts >= LIMITS.attemptsPerCall
}
