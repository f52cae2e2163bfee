/** Why a script could not be set up or a slice of it was stopped. */
import { LIMITS, type ScriptErrorCode } from '../types.ts'
import { HostileGuest, SetUpFailure } from './isolates.ts'

export interface Reason {
  readonly code: ScriptErrorCode
  readonly message: string
  readonly stack: string
}

/** Maps an error thrown here or by isolated-vm to the error of a result. */
export function reasonOf(error: unknown): Reason {
  if (error instanceof SetUpFailure)
    return {
      code: error.code,
      message: clipped(error.message),
      stack: (error.stack ?? '').slice(0, LIMITS.stackChars),
    }
  if (error instanceof HostileGuest)
    return { code: 'SCRIPT_OUTPUT_INVALID', message: error.message, stack: '' }
  const message = error instanceof Error ? error.message : String(error)
  if (/timed out/.test(message))
    return {
      code: 'SCRIPT_TIMEOUT',
      message: `The script took longer than ${LIMITS.timeoutMs} ms`,
      stack: '',
    }
  if (/memory|disposed|allocation/i.test(message))
    return { code: 'SCRIPT_MEMORY', message: `The script needed more than ${LIMITS.memoryMb} MB`, stack: '' }
  return { code: 'SCRIPT_ERROR', message: clipped(message), stack: '' }
}

function clipped(message: string): string {
  return message.slice(0, LIMITS.errorChars)
}
