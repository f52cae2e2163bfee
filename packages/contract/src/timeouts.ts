/**
 * How long a client waits for a call when the operation names nothing else (`clientTimeoutMs` in its `meta`), from
 * section 9 of the specification. Operations whose work grows with what an account holds, or that ask somebody outside,
 * name 60 s.
 */
export const defaultClientTimeoutMs = 10_000

/** What part of the client's time a statement of the database may take. */
const serverShare = 0.5

/** How long a client waits for the reply to a call, in milliseconds. */
export function clientTimeoutOf(meta: { clientTimeoutMs?: number }): number {
  return meta.clientTimeoutMs ?? defaultClientTimeoutMs
}

/** After how long the server gives a statement up: early enough for its answer to reach the client. */
export function serverTimeoutOf(meta: { clientTimeoutMs?: number }): number {
  return clientTimeoutOf(meta) * serverShare
}
