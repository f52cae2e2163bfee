/** Line and column of a failure, from V8's message and stack. */
import type { ScriptError, ScriptErrorCode } from './types.ts'

/** A script cannot have more lines or columns than characters. */
const IN_MESSAGE = / \[script\.js:(\d{1,6}):(\d{1,6})\]$/
const IN_STACK = /script\.js:(\d{1,6}):(\d{1,6})/

/** An error for the author: the message without V8's own position mark, with line and column where known. */
export function describeFailure(code: ScriptErrorCode, message: string, stack: string): ScriptError {
  const match = IN_MESSAGE.exec(message) ?? IN_STACK.exec(stack)
  const text = message.replace(IN_MESSAGE, '')
  if (match === null) return { code, message: text }
  return { code, message: text, line: Number(match[1]), column: Math.max(1, Number(match[2])) }
}
