import type { Preset, StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode, PacketFault } from '@leitstand/contract/errors'
import type { Meaning } from './decode.ts'

/** Metadata of a message; stored with a dead letter, so that it can be replayed. */
export interface MessageOrigin {
  /** `message`: the body is the raw message; `packet`: one standard packet of it, after preset or template */
  stage: 'message' | 'packet'
  /** preset of the connector */
  preset: Preset
  /** MQTT only */
  topic?: string
  /** HTTP only: query parameters */
  query?: Readonly<Record<string, string>>
  /** with stage `packet`: deduplication key from the source */
  dedupKey?: string
  /** the body was truncated: it cannot be replayed */
  cut?: true
}

/** A message a connector has received and turned into packets. */
export interface InboundMessage {
  connector: { id: number; accountId: number }
  packets: readonly StandardPacket[]
  /** the raw message as text; at most `ingestLimits.rawCharsMax` characters are stored */
  raw: string
  receivedAt: Date
  /**
   * Deduplication keys from the source (session, counter, port), in the order of the packets. Without a key,
   * a packet is recognised by its time or counter; without these, a duplicate cannot be distinguished from an
   * equal reading.
   */
  dedupKeys?: readonly (string | undefined)[]
  /** from the stream of packets: packets to which the source gives no identity are recognised by it */
  streamKey?: string
  origin?: MessageOrigin
  /** results of remote parsers; see `prefetch.ts` */
  prefetched?: ReadonlyMap<StandardPacket, Meaning>
  /** An earlier message of its partition has failed: both come again, in their order. */
  isStale?: () => boolean
  /** it has failed before: set aside what cannot be stored, instead of trying it forever */
  isLastTry?: true
  /** replay of a dead letter: refusals are in the outcome and not stored again */
  isReplay?: boolean
}

export interface Rejection {
  identifier: string | null
  code: ErrorCode
  message: string
  /** index of the packet in its message */
  index: number
}

/** Result of a packet of a virtual device. */
export interface DecodedPacket {
  identifier: string
  deviceId: number
  variables: Record<string, JsonValue> | null
  error: PacketFault | null
}

/** Result of a message; everything in it is committed, or kept by the stream of packets. */
export interface Outcome {
  /** several nodes: it waits in the stream, and what becomes of it is known on the node that stores it */
  isQueued?: true
  /** packets stored */
  accepted: number
  /** packets that had been stored before */
  duplicates: number
  /** packets stored as dead letters, with the reason */
  rejected: Rejection[]
  decoded: DecodedPacket[]
  /** microseconds from the queue to the commit, shared by the batch */
  durationUs: number
}

const megabyte = 1_000_000

export const ingestLimits = {
  /** maximum messages of a batch, and the size at which it is full */
  batchMax: 700,
  batchBytesMax: 8 * megabyte,
  /** maximum messages of a batch while accounts with few messages share it with busy ones */
  besideQuietMax: 40,
  /** packets per transaction; a single message may contain more */
  packetsMax: 2_000,
  /** queue limits of a connector, an account, and in total; sources are not read while they are reached */
  lane: { items: 2_000, bytes: 16 * megabyte },
  group: { items: 5_000, bytes: 32 * megabyte },
  all: { items: 20_000, bytes: 128 * megabyte },
  /** queue space reserved for a connector when its account is full, and for an account when the queue is */
  reserved: { items: 100, bytes: megabyte },
  /** minimum messages to prepare a batch while another is being stored */
  aheadMin: 100,
  /** how long a batch waits for more messages while they keep coming */
  gathering: { factor: 5, maxMs: 80, besideOthersMs: 10, enough: 200, gapMs: 5 },
  /** maximum characters of a message stored with dead letters */
  rawCharsMax: 1_048_576,
  /** maximum states created automatically for new variables of a device */
  autoStatesMax: 200,
  aheadMaxMs: 24 * 3_600_000,
} as const

/** Queues for accounts whose scripts are slow. */
export const slowQueues = 8

/** Limits of each of these queues; small batches, because each is a transaction that others wait for. */
export const slowLimits = {
  ...ingestLimits,
  batchMax: 40,
  all: ingestLimits.group,
} as const

/** A measurement for the states of a device. */
export interface Measured {
  time: Date
  variables: Record<string, JsonValue>
}
