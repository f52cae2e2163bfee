/**
 * Default timeout of a client for a call, unless the operation sets `clientTimeoutMs` in its `meta`; from
 * section 9 of the specification. Operations whose work grows with the data of an account, or that call an
 * external system, set 60 s.
 */
export const defaultClientTimeoutMs = 10_000

/** Share of the client's timeout that a database statement may take. */
const serverShare = 0.5

/** Timeout of a client for a call, in milliseconds. */
export function clientTimeoutOf(meta: { clientTimeoutMs?: number }): number {
  return meta.clientTimeoutMs ?? defaultClientTimeoutMs
}

/**
 * Timeout of a database statement, in milliseconds: early enough for the error response to reach the client.
 */
export function serverTimeoutOf(meta: { clientTimeoutMs?: number }): number {
  return clientTimeoutOf(meta) * serverShare
}
