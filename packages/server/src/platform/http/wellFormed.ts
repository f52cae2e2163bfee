import { isWellFormed } from '@leitstand/contract/wellFormed'

type Found = (string | number)[]

interface Step {
  value: unknown
  /** its name, and the value that contains it */
  name: string | number
  within: Step | undefined
}

/**
 * Path of the first text in an input that cannot be stored, including field names; undefined: there is none.
 * Not recursive; checks texts with the engine's built-in function, and visits each list and object once.
 */
export function illFormedPath(input: unknown): Found | undefined {
  const waiting: Step[] = [{ value: input, name: '', within: undefined }]
  for (let step = waiting.pop(); step !== undefined; step = waiting.pop()) {
    const { value } = step
    if (typeof value === 'string') {
      if (!isWellFormed(value)) return pathOf(step)
    } else if (Array.isArray(value)) {
      for (let at = value.length - 1; at >= 0; at--) note(waiting, value[at], at, step)
    } else if (typeof value === 'object' && value !== null) {
      for (const name in value) {
        if (!isWellFormed(name)) return pathOf(step)
        note(waiting, (value as Record<string, unknown>)[name], name, step)
      }
    }
  }
  return undefined
}

/** Only values that can contain a text are queued. */
function note(waiting: Step[], value: unknown, name: string | number, within: Step): void {
  if (typeof value === 'string' || (typeof value === 'object' && value !== null))
    waiting.push({ value, name, within })
}

function pathOf(step: Step): Found {
  const path: Found = []
  for (let at: Step | undefined = step; at?.within !== undefined; at = at.within) path.unshift(at.name)
  return path
}
