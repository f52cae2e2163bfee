import { type ErrorCode, type ErrorReply, errorCatalogue } from '@leitstand/contract/errors'

/**
 * An error a caller may see: a code of the catalogue, its HTTP status, optional data and a text for developers.
 * Everything else that is thrown becomes `INTERNAL_ERROR` and says nothing to the outside.
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

  /** The reply body of this error. */
  toReply(requestId: string): ErrorReply {
    return {
      code: this.code,
      message: this.message,
      ...(this.data === undefined ? {} : { data: this.data }),
      requestId,
    }
  }
}

/** A refusal to start or to go on that a person can act on; its message is one plain sentence. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StartError'
  }
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
