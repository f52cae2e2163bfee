import type { ErrorCode } from '@leitstand/contract/errors'
import { storableJson } from '../storable.ts'
import { type ElixirAnswer, type ElixirError, elixirLimits } from './types.ts'

/** A message of a process. It may have been written by any code that runs in it. */
export type Message =
  | { kind: 'ready' }
  | { kind: 'defined'; error: ElixirError | null; isFull: boolean }
  | { kind: 'answer'; answer: ElixirAnswer }

/** The codes a process may return; all others come from the server. */
const codes: ReadonlySet<unknown> = new Set<ErrorCode>([
  ...(['SCRIPT_SYNTAX', 'SCRIPT_NO_FUNCTION', 'SCRIPT_ERROR', 'SCRIPT_TIMEOUT', 'SCRIPT_MEMORY'] as const),
  ...(['SCRIPT_OUTPUT_TOO_LARGE', 'SCRIPT_OUTPUT_INVALID'] as const),
])
const messageCharsMax = 2_000

/**
 * Reads one message of a process and treats it as hostile: its length was checked before, its nesting is
 * checked before parsing, its shape and the length of its parts after.
 * @throws Error for everything the runner would not send
 */
export function readMessage(text: string): Message {
  if (levelsOf(text) > elixirLimits.levelsMax) throw new Error('an answer is nested too deep')
  const message: unknown = JSON.parse(storableJson(text))
  if (!isObject(message)) throw new Error('a message is not an object')
  if (message.ready === true) return { kind: 'ready' }
  if (isObject(message.defined)) {
    const isFull = message.full === true
    return { kind: 'defined', error: message.defined.ok === true ? null : readError(message.defined), isFull }
  }
  if (isObject(message.answer)) return { kind: 'answer', answer: readAnswer(message.answer) }
  throw new Error('an answer has no known form')
}

function readAnswer(answer: Record<string, unknown>): ElixirAnswer {
  const { us: durationUs, l: lines = [] } = answer
  if (typeof durationUs !== 'number' || !(durationUs >= 0)) throw new Error('an answer has no duration')
  const console = readLines(lines)
  if ('c' in answer) return { ok: false, error: readError(answer), durationUs, console }
  if (!('v' in answer)) throw new Error('an answer has no value')
  return { ok: true, value: answer.v, durationUs, console }
}

function readLines(lines: unknown): string[] {
  const { lines: linesMax, chars } = elixirLimits.runner
  if (!Array.isArray(lines) || lines.length > linesMax) throw new Error('an answer has too many lines')
  return lines.map((line: unknown) => {
    // A character outside the BMP counts as one there and as two here.
    if (typeof line !== 'string' || line.length > 2 * chars) throw new Error('a line is too long')
    return line
  })
}

function readError({ c: code, e: message, line }: Record<string, unknown>): ElixirError {
  if (!codes.has(code)) throw new Error('an answer has no known code')
  if (typeof message !== 'string') throw new Error('an answer has no message')
  const named = typeof line === 'number' ? line : Number(/ \(line (\d+)\)$/.exec(message)?.[1] ?? Number.NaN)
  return {
    code: code as ErrorCode,
    message: message.slice(0, messageCharsMax).toWellFormed(),
    ...(Number.isSafeInteger(named) ? { line: named } : {}),
  }
}

/** Nesting depth of a JSON text, without parsing it. */
function levelsOf(text: string): number {
  let deepest = 0
  let level = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (isText) {
      if (char === backslash) at++
      else if (char === quote) isText = false
    } else if (char === quote) isText = true
    else if (char === openArray || char === openObject) {
      level++
      if (level > deepest) deepest = level
    } else if (char === closeArray || char === closeObject) level--
  }
  return deepest
}

const quote = 0x22
const backslash = 0x5c
const openArray = 0x5b
const closeArray = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
