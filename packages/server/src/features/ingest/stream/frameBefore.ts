import { inflateRawSync } from 'node:zlib'
import type { StandardPacket } from '@leitstand/contract/bridge'
import type { InboundMessage, MessageOrigin } from '../types.ts'

/** First bytes of what the version before has written: one message, several. */
export const formatsBefore: readonly number[] = [0x00, 0x80]

const batchMark = 0x8000_0000
const lengthBytes = 4
const batchBytesMax = 16_777_216

interface Head {
  c: [number, number]
  t: number
  packets: readonly StandardPacket[]
  keys?: readonly (string | null)[]
  origin?: MessageOrigin
  id: string
}

/**
 * The messages of one of the stream that the version before has written: they were acknowledged, so they are stored after an
 * upgrade, too. One is the length of its head, the head in JSON, the raw text; several are their number, then deflated each with its
 * length.
 * @throws Error when the bytes are none of these
 */
export function unframeBefore(buffer: Buffer): InboundMessage[] {
  const first = buffer.readUInt32BE(0)
  if (first < batchMark) return [readMessage(buffer)]
  const parts = inflateRawSync(buffer.subarray(lengthBytes), { maxOutputLength: batchBytesMax })
  const messages: InboundMessage[] = []
  let at = 0
  for (let left = first - batchMark; left > 0; left--) {
    const from = at + lengthBytes
    at = from + parts.readUInt32BE(at)
    if (at > parts.length) throw new RangeError('a batch of messages is cut off')
    messages.push(readMessage(parts.subarray(from, at)))
  }
  return messages
}

function readMessage(buffer: Buffer): InboundMessage {
  const length = buffer.readUInt32BE(0)
  const {
    c,
    t,
    packets,
    keys,
    origin,
    id: streamKey,
  }: Head = JSON.parse(buffer.toString('utf8', lengthBytes, lengthBytes + length))
  const [id, accountId] = c
  return {
    connector: { id, accountId },
    packets,
    raw: buffer.toString('utf8', lengthBytes + length),
    receivedAt: new Date(t),
    ...(keys === undefined ? {} : { dedupKeys: keys.map((key) => key ?? undefined) }),
    ...(origin === undefined ? {} : { origin }),
    streamKey,
  }
}
