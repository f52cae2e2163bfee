import * as z from 'zod'

/** Headers that belong to the connection or to the message. */
const reservedHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'cookie', 'expect', 'host'],
  ...['idempotency-key', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent'],
])

/** URL without fragment and credentials; many services identify the receiver in the query. */
function isTarget(text: string): boolean {
  return /^https?:\/\/[^\s#@]+$/.test(text) && URL.canParse(text)
}

/**
 * An outgoing webhook: rules send messages to `url`. Each attempt for a message has the same `idempotency-key`.
 */
export const WebhookOutSettings = z.object({
  url: z.string().trim().max(1000).refine(isTarget, 'url'),
  method: z.enum(['POST', 'PUT']).default('POST'),
  /** header that authenticates us, e.g. `authorization` or `x-api-key`; empty: none */
  headerName: z
    .string()
    .trim()
    .toLowerCase()
    .max(100)
    .refine((name) => /^[a-z0-9-]*$/.test(name) && !reservedHeaders.has(name), 'headerName')
    .default(''),
  /** its value, e.g. `Bearer …`; an empty value in an update keeps the stored one; never returned */
  headerValue: z
    .string()
    .trim()
    .max(2000)
    .regex(/^[\x20-\x7e]*$/, 'headerValue')
    .default(''),
})
