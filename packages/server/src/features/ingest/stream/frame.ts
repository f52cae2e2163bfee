import { createHash, randomUUID } from 'node:crypto'
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib'
import type { StandardPacket } from '@leitstand/contract/bridge'
import { packetPartitions } from '@leitstand/contract/nodes'
import { identityOf } from '../identity.ts'
import type { InboundMessage, MessageOrigin } from '../types.ts'

/** Set in the first four bytes of a batch; no head of a message is so long. */
const batchMark = 0x8000_0000
const lengthBytes = 4
/** More than any batch holds. */
const batchBytesMax = 16_777_216

/** Partitions of the stream of packets; fixed, because order holds only within one. */
export const partitionCount = packetPartitions

/** The part of a message before its raw text. */
interface Head {
  /** connector and account */
  c: [number, number]
  /** received at, in ms */
  t: number
  packets: readonly StandardPacket[]
  keys?: readonly (string | null)[]
  origin?: MessageOrigin
  /** unique id of the message: what the source gives no identity is recognised by it when it is delivered again */
  id: string
}

/** A message ready for the stream. */
export interface Framed {
  partition: number
  bytes: Buffer
}

/** Packets of one device always go into the same partition. */
export function partitionOf(connectorId: number, packet: StandardPacket | undefined): number {
  const whose =
    packet === undefined ? '' : 'identifier' in packet ? packet.identifier : JSON.stringify(packet.routing)
  const digest = createHash('sha1').update(`${connectorId}\n${whose}`).digest()
  return digest.readUInt32BE(0) % partitionCount
}

/**
 * A message as bytes: the length of the head, the head in JSON, the raw text as it came.
 * Messages of the receiver hold one packet each; of several, the first decides the partition.
 */
export function frame(message: InboundMessage): Framed {
  const { connector, packets, receivedAt, dedupKeys, origin, raw } = message
  const head: Head = {
    c: [connector.id, connector.accountId],
    t: receivedAt.getTime(),
    packets,
    ...(dedupKeys?.some((key) => key !== undefined) ? { keys: dedupKeys.map((key) => key ?? null) } : {}),
    ...(origin === undefined ? {} : { origin }),
    id: randomUUID(),
  }
  const headBytes = Buffer.from(JSON.stringify(head))
  const rawBytes = Buffer.from(raw)
  const bytes = Buffer.allocUnsafe(4 + headBytes.length + rawBytes.length)
  bytes.writeUInt32BE(headBytes.length, 0)
  headBytes.copy(bytes, 4)
  rawBytes.copy(bytes, 4 + headBytes.length)
  return { partition: partitionOf(connector.id, packets[0]), bytes }
}

/**
 * Several messages of a partition as one of the stream: their number, then each with its length, compressed: NATS writes
 * every byte six times, and messages of one kind of device are much alike.
 */
export function frameBatch(framed: readonly Buffer[]): Buffer {
  const head = Buffer.allocUnsafe(lengthBytes)
  head.writeUInt32BE(batchMark + framed.length, 0)
  const parts = framed.flatMap((bytes) => {
    const length = Buffer.allocUnsafe(lengthBytes)
    length.writeUInt32BE(bytes.length, 0)
    return [length, bytes]
  })
  return Buffer.concat([head, deflateRawSync(Buffer.concat(parts), { level: constants.Z_BEST_SPEED })])
}

/**
 * The messages of one of the stream, in their order.
 * @throws Error when the bytes are none of `frame` and `frameBatch`
 */
export function unframe(bytes: Uint8Array): InboundMessage[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
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
  const head: Head = JSON.parse(buffer.toString('utf8', 4, 4 + length))
  const [id, accountId] = head.c
  const receivedAt = new Date(head.t)
  const dedupKeys = head.packets.map((packet, index) => {
    const given = head.keys?.[index] ?? undefined
    const isRecognised = identityOf(packet, receivedAt, given).recognised
    return isRecognised ? given : `stream ${head.id} ${index}`
  })
  return {
    connector: { id, accountId },
    packets: head.packets,
    raw: buffer.toString('utf8', 4 + length),
    receivedAt,
    dedupKeys,
    ...(head.origin === undefined ? {} : { origin: head.origin }),
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
  return createHash('sha1').update(`${connector.id}\n${packet.identifier}\n${key}`).digest('base64url')
}
