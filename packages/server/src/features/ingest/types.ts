import type { StandardPacket } from '@leitstand/contract/bridge'
import type { JsonValue } from '@leitstand/contract/common'
import type { ErrorCode } from '@leitstand/contract/errors'

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
}

export interface Rejection {
  identifier: string | null
  code: ErrorCode
  message: string
}

/** What became of a packet of a virtual device. */
export interface DecodedPacket {
  identifier: string
  deviceId: number
  variables: Record<string, JsonValue> | null
  error: { code: ErrorCode; message: string } | null
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

export const ingestLimits = {
  /** messages of one batch */
  batchMax: 500,
  /** packets of one transaction; a single message may carry more */
  packetsMax: 2_000,
  /** messages waiting; when it is reached sources are not read any more */
  waitingMax: 5_000,
  /** characters of a message kept with dead letters */
  rawCharsMax: 65_536,
  /** states a device may get from variables that were not known before */
  autoStatesMax: 200,
  /** dead letters kept per connector */
  deadLettersMax: 20_000,
  aheadMaxMs: 24 * 3_600_000,
} as const

/** A measurement on its way to the states of a device. */
export interface Measured {
  time: Date
  variables: Record<string, JsonValue>
}
