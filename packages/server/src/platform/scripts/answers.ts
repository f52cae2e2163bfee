/**
 * Converts the messages of a sandbox process into results for callers. The process is not trusted: every
 * message is checked before it is parsed, and one frame is small enough to be parsed at once.
 */
import * as z from 'zod'
import { storableJson } from '../storable.ts'
import { describeFailure } from './position.ts'
import type { PartHead, WireAnswer } from './protocol.ts'
import { scanAnswers } from './scan.ts'
import type { ScriptCheck, ScriptErrorCode, ScriptResult } from './types.ts'
import { LIMITS } from './types.ts'

/** A process sent an invalid message. `good` is the number of valid results before it. */
export class HostileAnswer extends Error {
  readonly good: number
  constructor(message: string, good = 0) {
    super(message)
    this.name = 'HostileAnswer'
    this.good = good
  }
}

/** A failure for one input that was not run. */
export function failed(code: ScriptErrorCode, message: string): ScriptResult {
  return { ok: false, error: { code, message }, durationUs: 0 }
}

/** Results of a frame, and the time the process spent on them. */
export interface Part {
  readonly results: ScriptResult[]
  readonly busyUs: number
}

/**
 * Parses a part of a call's results: head, line feed, list of results.
 * @param max number of results still missing
 * @throws HostileAnswer when the text is invalid
 */
export function readPart(text: string, max: number): Part {
  const cut = text.indexOf('\n')
  if (cut < 0 || cut > HEAD_CHARS_MAX) throw new HostileAnswer('An answer has no head')
  const { slices, busyUs } = readHead(text.slice(0, cut))
  const each: number[] = []
  for (const [inputs, microseconds] of slices) {
    if (each.length + inputs > max) throw new HostileAnswer('There are more answers than inputs')
    // Whole microseconds; a call that ran took at least one.
    const average = microseconds === 0 ? 0 : Math.max(1, Math.round(microseconds / inputs))
    for (let i = 0; i < inputs; i++) each.push(average)
  }
  if (text[cut + 1] !== '[' || !text.endsWith(']')) throw new HostileAnswer('The answers are no list')
  const { good, fault } = scanAnswers(text, each.length, cut + 2, text.length - 1)
  if (fault !== undefined) throw new HostileAnswer(`An answer is not right: ${fault}`, good)
  const answers = JSON.parse(storableJson(text.slice(cut + 1))) as WireAnswer[]
  const results = answers.map((answer, index) => toResult(answer, each[index] ?? 0))
  return { results, busyUs }
}

/** A head has one pair of numbers for each slice, and a call has at most as many slices as inputs. */
const HEAD_CHARS_MAX = 32 * LIMITS.inputsPerCall
/** Longer than any call can take. */
const MICROSECONDS_MAX = 3_600_000_000

/** Hand-written for speed, because every single message has one. */
function readHead(text: string): PartHead {
  const head = jsonOf(text)
  if (typeof head !== 'object' || head === null || !('slices' in head) || !('busyUs' in head))
    throw new HostileAnswer('The head of an answer is not right')
  const { slices, busyUs } = head
  const isRight = Array.isArray(slices) && slices.every(isSlice) && isCount(busyUs, 0, MICROSECONDS_MAX)
  if (!isRight) throw new HostileAnswer('The head of an answer is not right')
  return { slices, busyUs }
}

function isSlice(value: unknown): value is [number, number] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    isCount(value[0], 1, LIMITS.inputsPerCall) &&
    isCount(value[1], 0, MICROSECONDS_MAX)
  )
}

function isCount(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new HostileAnswer('A sandbox process answered no JSON')
  }
}

function toResult(answer: WireAnswer, durationUs: number): ScriptResult {
  const lines = answer.l === undefined ? undefined : { console: answer.l }
  if (answer.c !== undefined) {
    const error = describeFailure(answer.c, answer.e ?? '', answer.s ?? '')
    return { ok: false, error, durationUs, ...lines }
  }
  if (answer.w === undefined && lines === undefined) return { ok: true, value: answer.v, durationUs }
  const warnings = answer.w === undefined ? undefined : { warnings: answer.w }
  return { ok: true, value: answer.v, durationUs, ...warnings, ...lines }
}

const position = z.int().min(0).max(LIMITS.sourceChars).optional()
const Check = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    family: z.enum(['function', 'decodeUplink', 'Decoder', 'Decode', 'body']),
    encodes: z.boolean(),
    purity: z.enum(['pure', 'module', 'context']),
    writes: z.array(z.string().max(LIMITS.nameChars)).max(LIMITS.names),
    hints: z.array(z.enum(['NO_RETURN', 'USES_REQUIRE', 'USES_TIMERS', 'ASYNC'])).max(4),
  }),
  z.strictObject({
    ok: z.literal(false),
    error: z.strictObject({
      code: z.enum([
        'SCRIPT_SYNTAX',
        'SCRIPT_NO_FUNCTION',
        'SCRIPT_ERROR',
        'SCRIPT_TIMEOUT',
        'SCRIPT_MEMORY',
        'SCRIPT_OUTPUT_TOO_LARGE',
        'SCRIPT_OUTPUT_INVALID',
      ]),
      message: z.string().max(LIMITS.errorChars + 1),
      line: position,
      column: position,
    }),
  }),
])

/**
 * Parses the check of a script.
 * @throws HostileAnswer when the text is invalid
 */
export function readCheck(text: string): ScriptCheck {
  const check = text.length > LIMITS.checkChars ? undefined : Check.safeParse(jsonOf(storableJson(text)))
  if (check?.success !== true)
    throw new HostileAnswer('A sandbox process found something that it cannot find')
  return check.data as ScriptCheck
}
