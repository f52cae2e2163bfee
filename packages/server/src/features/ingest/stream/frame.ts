import { hash, randomUUID } from 'node:crypto'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { StandardPacket } from '@leitstand/contract/bridge'
import { packetPartitions } from '@leitstand/contract/nodes'
import type { InboundMessage, MessageOrigin } from '../types.ts'

/** First byte: whether what follows the prefix is compressed. */
const formats = { plain: 0x01, compressed: 0x02 } as const
/** The format, and two lengths in bytes: of what follows, and of the heads in it. */
const prefixBytes = 9
const bytesMax = 64 * 1024 * 1024
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Partitions of the stream of packets; fixed, because order holds only within one. */
export const partitionCount = packetPartitions

/** A received message without its raw text. */
interface Head {
  /** connector and account */
  c: [number, number]
  /** received at, in ms */
  t: number
  packets: readonly StandardPacket[]
  keys?: readonly (string | null)[]
  origin?: MessageOrigin
  /** length of its raw text, as JavaScript counts */
  l: number
}

interface Heads {
  /** of this message of the stream: what the source gives no identity is recognised by it when it is delivered again */
  id: string
  m: Head[]
}

/** Packets of one device always go into the same partition. Messages of the receiver hold one packet each; of several, the first decides. */
export function partitionOf({ connector, packets: [packet] }: InboundMessage): number {
  const whose =
    packet === undefined ? '' : 'identifier' in packet ? packet.identifier : JSON.stringify(packet.routing)
  return Number.parseInt(hash('sha1', `${connector.id}\n${whose}`).slice(0, 8), 16) % partitionCount
}

/**
 * Received messages of a partition as one of the stream: format, lengths, heads in JSON, the raw texts as they came. Several are
 * compressed: NATS writes every byte six times, and messages of one kind of device are much alike.
 */
export function frame(messages: readonly InboundMessage[]): Buffer {
  const heads: Heads = { id: randomUUID(), m: messages.map(headOf) }
  const json = JSON.stringify(heads)
  const raw = messages.length === 1 ? (messages[0]?.raw ?? '') : messages.map((each) => each.raw).join('')
  const headBytes = Buffer.byteLength(json)
  const length = headBytes + Buffer.byteLength(raw)
  const bytes = Buffer.allocUnsafe(prefixBytes + length)
  bytes.writeUInt8(messages.length === 1 ? formats.plain : formats.compressed, 0)
  bytes.writeUInt32BE(length, 1)
  bytes.writeUInt32BE(headBytes, 5)
  bytes.write(json, prefixBytes)
  bytes.write(raw, prefixBytes + headBytes)
  if (messages.length === 1) return bytes
  const compressed = zstdCompressSync(bytes.subarray(prefixBytes), compression)
  return Buffer.concat([bytes.subarray(0, prefixBytes), compressed])
}

function headOf({ connector, packets, receivedAt, dedupKeys, origin, raw }: InboundMessage): Head {
  return {
    c: [connector.id, connector.accountId],
    t: receivedAt.getTime(),
    packets,
    ...(dedupKeys?.some((key) => key !== undefined) ? { keys: dedupKeys.map((key) => key ?? null) } : {}),
    ...(origin === undefined ? {} : { origin }),
    l: raw.length,
  }
}

/**
 * The received messages of one of the stream, in their order.
 * @throws Error when the bytes are not of `frame`
 */
export function unframe(bytes: Uint8Array): InboundMessage[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const format = buffer.readUInt8(0)
  if (format !== formats.plain && format !== formats.compressed)
    throw new RangeError('no message of the stream')
  const length = buffer.readUInt32BE(1)
  const headBytes = buffer.readUInt32BE(5)
  if (length > bytesMax || headBytes > length)
    throw new RangeError('the lengths of a message are not possible')
  const rest = buffer.subarray(prefixBytes)
  const body =
    format === formats.compressed
      ? zstdDecompressSync(rest, { chunkSize: Math.max(64, length), maxOutputLength: length })
      : rest
  if (body.length !== length) throw new RangeError('a message is cut off')
  const { id, m }: Heads = JSON.parse(body.toString('utf8', 0, headBytes))
  const raws = body.toString('utf8', headBytes)
  let at = 0
  return m.map((head, index) => {
    const raw = raws.slice(at, at + head.l)
    at += head.l
    return messageOf(head, raw, `${id} ${index}`)
  })
}

function messageOf(
  { c: [id, accountId], t, packets, keys, origin }: Head,
  raw: string,
  streamKey: string,
): InboundMessage {
  return {
    connector: { id, accountId },
    packets,
    raw,
    receivedAt: new Date(t),
    ...(keys === undefined ? {} : { dedupKeys: keys.map((key) => key ?? undefined) }),
    ...(origin === undefined ? {} : { origin }),
    streamKey,
  }
}

/**
 * Recognises a duplicate at the door; undefined where the source gives the packets no identity. Only keys of the source
 * count: equal times and payloads are compared with what is stored, for two days.
 */
export function messageIdOf({ connector, packets, dedupKeys }: InboundMessage): string | undefined {
  const [packet] = packets
  const [key] = dedupKeys ?? []
  if (packet === undefined || packets.length !== 1 || key === undefined || !('identifier' in packet))
    return undefined
  return hash('sha1', `${connector.id}\n${packet.identifier}\n${key}`, 'base64url')
}
