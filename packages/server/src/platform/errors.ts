import { type ErrorCode, type ErrorReply, errorCatalogue } from '@leitstand/contract/errors'

/**
 * An error that callers may see: a code of the catalogue, its HTTP status, optional data and a text for
 * developers. Every other error becomes `INTERNAL_ERROR` and exposes no details.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly data: Record<string, unknown> | undefined

  constructor(code: ErrorCode, data?: Record<string, unknown>, message?: string) {
    const [status, meaning] = errorCatalogue[code]
    super(message ?? meaning)
    this.name = 'AppError'
    this.code = code
    this.status = status
    this.data = data
  }

  /** The response body of this error. */
  toReply(requestId: string): ErrorReply {
    return {
      code: this.code,
      message: this.message,
      ...(this.data === undefined ? {} : { data: this.data }),
      requestId,
    }
  }
}

/**
 * The server cannot start or continue, for a reason the operator can fix; the message is one plain
 * sentence.
 */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
