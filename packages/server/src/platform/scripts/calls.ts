/** A call on its way: waiting, sent to a process, answered. */
import { failed } from './answers.ts'
import type { Definition, Mark, RunHead } from './protocol.ts'
import { LIMITS, type ScriptCheck, type ScriptErrorCode, type ScriptResult } from './types.ts'

/** What a call asks: the inputs of one part of a `run`, or whether a script can be run at all. */
export type Asked =
  | { readonly kind: 'run'; readonly head: Omit<RunHead, 'singleUntil' | 'crashed' | 'timeoutsMax'> }
  | { readonly kind: 'check' }

export interface PendingCall {
  readonly id: number
  /** name of the script, for those who look into limits */
  readonly script: string
  /** whose budgets it uses up */
  readonly owner: string
  readonly account: number | null
  readonly definition: Definition
  readonly asked: Asked
  /** the inputs as JSON, or the definition */
  readonly text: string
  readonly total: number
  /** processes that may run it */
  pool: string
  /** where it runs when it is suspected of taking processes down */
  readonly apart: string
  readonly crashed: number[]
  singleUntil: number
  /** a process has died while it was at this call */
  suspected: boolean
  attempts: number
  results: ScriptResult[]
  answer(outcome: ScriptResult[] | ScriptCheck): void
}

/** Answers a call without having run it, or what is left of it. */
export function giveUp(call: PendingCall, code: ScriptErrorCode, message: string): void {
  call.answer(
    call.asked.kind === 'check'
      ? { ok: false, error: { code, message } }
      : Array.from({ length: call.total }, () => failed(code, message)),
  )
}

/**
 * The text of the frame that asks it.
 * @param isSlow whether the scripts of its owner were slow lately: then fewer of its inputs may be
 */
export function frameText(call: PendingCall, isSlow: boolean): string {
  if (call.asked.kind === 'check') return call.text
  const { singleUntil, crashed } = call
  const timeoutsMax = isSlow ? LIMITS.timeoutsPerSlowCall : LIMITS.timeoutsPerCall
  const head: RunHead = { ...call.asked.head, singleUntil, crashed, timeoutsMax }
  return `${JSON.stringify(head)}\n${call.text}`
}

/**
 * Notes that a process died at a call; the call runs its inputs one by one from then on. A process can also die for
 * reasons of its own: killed by the system, or by an operator. One death proves nothing.
 * @returns whether it is proven now that the input at the mark is the reason; it is not run again
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

/** Whether a call has been the end of so many processes that it is given up. */
export function isHopeless(call: PendingCall): boolean {
  const crashesMax = call.asked.kind === 'check' ? 1 : LIMITS.crashesPerCall
  return call.crashed.length >= crashesMax || call.attempts >= LIMITS.attemptsPerCall
}
