/** Splits the inputs of one `run` into parts that fit into one message to a sandbox process. */
import { failed } from './answers.ts'
import { JsonInput, LIMITS, type ScriptResult } from './types.ts'

export interface Part {
  readonly texts: string[]
  readonly indexes: number[]
}

/**
 * Splits the inputs into parts that fit into one message; for inputs that cannot be sent `results` gets an
 * error at once.
 */
export function cut(inputs: readonly object[], results: ScriptResult[]): Part[] {
  const parts: Part[] = []
  let part: Part | undefined
  let chars = 0
  for (const [index, input] of inputs.entries()) {
    const text = toJson(input)
    if (text.length > LIMITS.inputChars || text === '') {
      const message =
        text === '' ? 'The input is not JSON' : `The input is larger than ${LIMITS.inputChars} characters`
      results[index] = failed('SCRIPT_INPUT_INVALID', message)
      continue
    }
    if (
      part === undefined ||
      part.texts.length >= LIMITS.inputsPerCall ||
      chars + text.length > LIMITS.inputChars
    ) {
      part = { texts: [], indexes: [] }
      chars = 0
      parts.push(part)
    }
    part.texts.push(text)
    part.indexes.push(index)
    chars += text.length
  }
  return parts
}

function toJson(input: object): string {
  if (input instanceof JsonInput) return input.json
  try {
    return JSON.stringify(input)
  } catch {
    // A cycle or a BigInt: the result reports it.
    return ''
  }
}
