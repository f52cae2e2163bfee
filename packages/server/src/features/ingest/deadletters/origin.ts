import { type InboundMessage, ingestLimits, type MessageOrigin } from '../types.ts'

/**
 * Metadata of a dead letter.
 * @param body before truncation
 * @param packet the index of the packet the letter is about; absent for the whole message
 */
export function letterMeta(
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
