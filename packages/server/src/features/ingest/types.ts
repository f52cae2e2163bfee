import type { Preset, StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode, PacketFault } from '@leitstand/contract/errors'
import type { Meaning } from './decode.ts'

/** What is known about a message beside its body; kept with a dead letter, so that it can be replayed. */
export interface MessageOrigin {
  /** `message`: the body is the message as it came; `packet`: one standard packet of it, after preset or template */
  stage: 'message' | 'packet'
  /** how the connector read it */
  preset: Preset
  /** MQTT only */
  topic?: string
  /** HTTP only: parameters of the address */
  query?: Readonly<Record<string, string>>
  /** with stage `packet`: what the source calls it */
  dedupKey?: string
  /** not all of the body was kept: it cannot be replayed */
  cut?: true
}

/** A message a connector has received and turned into packets. */
export interface InboundMessage {
  connector: { id: number; accountId: number }
  packets: readonly StandardPacket[]
  /** the message as it came, as text; at most `ingestLimits.rawCharsMax` of it are kept */
  raw: string
  receivedAt: Date
  /**
   * Per packet, in the same order: what the source calls this message (session, counter, port). A packet without one is
   * recognised by its time or counter; without these two deliveries cannot be told from two equal readings.
   */
  dedupKeys?: readonly (string | undefined)[]
  origin?: MessageOrigin
  /** what parsers outside of this process made of packets; see `ahead.ts` */
  ahead?: ReadonlyMap<StandardPacket, Meaning>
  /** a dead letter on its way again: what is refused is told in the outcome and not kept once more */
  isReplay?: boolean
}

export interface Rejection {
  identifier: string | null
  code: ErrorCode
  message: string
  /** of the packet within its message */
  index: number
}

/** What became of a packet of a virtual device. */
export interface DecodedPacket {
  identifier: string
  deviceId: number
  variables: Record<string, JsonValue> | null
  error: PacketFault | null
}

/** What became of a message; everything in it is committed. */
export interface Outcome {
  /** packets stored */
  accepted: number
  /** packets that had been stored before */
  duplicates: number
  /** packets kept as dead letters, with the reason */
  rejected: Rejection[]
  decoded: DecodedPacket[]
  /** microseconds from the queue to the commit, shared by the batch */
  durationUs: number
}

const megabyte = 1_000_000

export const ingestLimits = {
  /** messages of one batch, and the size at which it takes no further one */
  batchMax: 500,
  batchBytesMax: 8 * megabyte,
  /** messages of one batch while an account with few messages stands beside one with many */
  besideQuietMax: 40,
  /** packets of one transaction; a single message may carry more */
  packetsMax: 2_000,
  /** what may wait; when it is reached sources are not read any more: of a connector, of an account, of all */
  lane: { items: 2_000, bytes: 16 * megabyte },
  group: { items: 5_000, bytes: 32 * megabyte },
  all: { items: 20_000, bytes: 128 * megabyte },
  /** what a connector may have waiting though its account is full, and an account though everything is */
  reserved: { items: 100, bytes: megabyte },
  /** messages for which a batch is prepared while another is being stored */
  aheadMin: 100,
  /** characters of a message kept with dead letters */
  rawCharsMax: 1_048_576,
  /** states a device may get from variables that were not known before */
  autoStatesMax: 200,
  /** dead letters kept per connector */
  deadLettersMax: 20_000,
  /** bytes of bodies kept with the dead letters of a connector */
  deadLetterBytesMax: 268_435_456,
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

/** A measurement on its way to the states of a device. */
export interface Measured {
  time: Date
  variables: Record<string, JsonValue>
}
