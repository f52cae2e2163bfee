import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { StartError } from '../../../platform/errors.ts'
import { withReplicas } from '../../../platform/nodes/index.ts'

export const packetStream = 'leitstand_packets'

/** Codes of NATS's answers. */
export const natsCodes = {
  consumerNotFound: 10_014,
  streamNotFound: 10_059,
  /** the stream holds as many messages, or bytes, as it may */
  full: [10_047, 10_077],
} as const

const secondNs = 1_000_000_000

/** How long NATS recognises a message that was sent again. */
const duplicateWindowNs = 120 * secondNs
/** Messages of a partition that are being stored, of up to `batchMax` received ones each. */
export const underWayMax = 20
/** Received messages in one of the stream. */
export const batchMax = 32
/** A partition has one reader at a time, which reads again from the beginning when it starts: this is never due. */
const ackWaitNs = 3_600 * secondNs

/**
 * How much more NATS would take than nodes put in. Where NATS itself refuses a message because of its length, it may delete
 * the oldest one instead: it forgets what it adds to each. Doors are to be closed before, though they look only once a second.
 */
function headroomBytes(bytesMax: number): number {
  return 67_108_864 + Math.ceil(bytesMax / 8)
}

export function packetSubject(partition: number | '*'): string {
  return `leitstand.packets.${partition}`
}

/** A message is kept until it is acknowledged, i.e. until its packets are committed; a full stream takes no more. */
function settings(bytesMax: number, replicas: number) {
  return {
    name: packetStream,
    subjects: [packetSubject('*')],
    storage: StorageType.File,
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_bytes: bytesMax + headroomBytes(bytesMax),
    duplicate_window: duplicateWindowNs,
    num_replicas: replicas,
    // Nobody empties it by mistake: what it holds was acknowledged to its sender.
    deny_purge: true,
    deny_delete: true,
  }
}

/** Since when a stream exists; a stream that was made again has another time. */
export interface StreamMark {
  createdAt: string
}

/**
 * Opens the stream of packets; the first node of an installation creates it.
 * @param known the stream this installation has used; null: none yet
 * @returns the mark to remember
 * @throws StartError when the stream is gone or is not the one that was used: it may have held packets
 */
export async function openPacketStream(
  nc: NatsConnection,
  jsm: JetStreamManager,
  bytesMax: number,
  known: StreamMark | null,
): Promise<StreamMark> {
  const found = await find(jsm)
  if (found === null) {
    if (known !== null)
      throw new StartError(
        `The stream ${packetStream} of NATS is gone, and with it the packets that were not stored yet. Bring it back from a backup, or start once with NATS_STREAM_NEW=1 to go on without them.`,
      )
    const made = await withReplicas(nc, (replicas) => jsm.streams.add(settings(bytesMax, replicas)))
    return { createdAt: made.created }
  }
  if (known !== null && known.createdAt !== found.created)
    throw new StartError(
      `The stream ${packetStream} was created ${found.created}; this installation used one created ${known.createdAt}. Somebody has made it again, or NATS_URL leads elsewhere. Start once with NATS_STREAM_NEW=1 to use it.`,
    )
  const { max_bytes, deny_purge, deny_delete } = found.config
  if (max_bytes !== bytesMax || !deny_purge || !deny_delete)
    await jsm.streams.update(packetStream, {
      ...found.config,
      max_bytes: bytesMax + headroomBytes(bytesMax),
      deny_purge: true,
      deny_delete: true,
    })
  return { createdAt: found.created }
}

async function find(jsm: JetStreamManager): Promise<StreamInfo | null> {
  try {
    return await jsm.streams.info(packetStream)
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === natsCodes.streamNotFound) return null
    throw error
  }
}

export function consumerName(partition: number): string {
  return `ingest_${partition}`
}

/** A consumer that gets everything of a partition that is not acknowledged, oldest first. */
export function consumerSettings(partition: number) {
  return {
    durable_name: consumerName(partition),
    filter_subject: packetSubject(partition),
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: ackWaitNs,
    max_ack_pending: underWayMax,
  }
}
