import type { ErrorCode } from '@leitstand/contract/errors'
import type { Executor } from '../../platform/db/index.ts'
import { type InboundMessage, ingestLimits, type MessageOrigin } from './types.ts'

/** A message, or one packet of it, that cannot be used. */
export interface RejectedMessage {
  receivedAt: Date
  accountId: number
  connectorId: number
  deviceId: number | null
  identifier: string | null
  reason: ErrorCode
  detail: string
  body: string
  meta: Partial<MessageOrigin>
}

/** Where messages that cannot be used are kept; a later feature provides it. */
export interface Rejections {
  /** Stores them in this transaction, that of the batch: the sender is answered after its commit. */
  store(tx: Executor, rejected: readonly RejectedMessage[]): Promise<void>
  /** Called after the commit, with a connector whose messages were stored. */
  stored(connectorId: number): void
}

/** A whole message, as it is kept. */
export function rejectedMessage(
  message: Omit<InboundMessage, 'packets'>,
  error: { code: ErrorCode; message: string },
): RejectedMessage {
  return {
    receivedAt: message.receivedAt,
    accountId: message.connector.accountId,
    connectorId: message.connector.id,
    deviceId: null,
    identifier: null,
    reason: error.code,
    detail: clean(error.message),
    body: clean(message.raw.slice(0, ingestLimits.rawCharsMax)),
    meta: rejectedMeta(message, message.raw),
  }
}

/**
 * Metadata of a rejected message.
 * @param body before truncation
 * @param packet the index of the rejected packet; absent for the whole message
 */
export function rejectedMeta(
  {
    origin,
    packets,
    dedupKeys,
  }: Pick<InboundMessage, 'origin' | 'dedupKeys'> & Partial<Pick<InboundMessage, 'packets'>>,
  body: string,
  packet?: number,
): Partial<MessageOrigin> {
  const cut = body.length > ingestLimits.rawCharsMax ? ({ cut: true } as const) : {}
  if (origin === undefined) return cut
  const alone = packet === undefined || packets?.length === 1
  const stage = alone ? origin.stage : 'packet'
  const dedupKey = packet === undefined || stage === 'message' ? undefined : dedupKeys?.[packet]
  return { ...origin, stage, ...(dedupKey === undefined ? {} : { dedupKey }), ...cut }
}

/** Replaces NUL, which PostgreSQL text cannot contain, by the replacement character. */
export function clean(text: string): string {
  return text.replaceAll('\u0000', '\ufffd')
}
