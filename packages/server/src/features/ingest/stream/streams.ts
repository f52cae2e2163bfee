import {
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
import { messagesOf } from './capacity.ts'

export const packetStream = 'leitstand_journal'

/** The stream of versions before, from which messages were removed one by one. */
const streamBefore = 'leitstand_packets'

/** Codes of NATS's answers. */
export const natsCodes = {
  streamNotFound: 10_059,
  /** the server has no room for the stream to grow */
  full: [10_023, 10_047, 10_077],
} as const

const secondNs = 1_000_000_000

/** How long NATS recognises a message that was sent again. */
const duplicateWindowNs = 120 * secondNs
/** Messages of a partition that are being stored, of up to `batchMax` received ones each. */
export const underWayMax = 20
/** Received messages in one of the stream. */
export const batchMax = 32
/**
 * Where a node tells that there is something new in a partition, heard only by the one that reads it. It may be lost: readers
 * also look from time to time.
 */
export function wakeSubject(partition: number): string {
  return `leitstand.wake.${partition}`
}

export function packetSubject(partition: number | '*'): string {
  return `leitstand.journal.${partition}`
}

/**
 * A journal of so many messages: NATS removes the oldest when there are more, and doors close before these are ones that wait.
 * Nothing is removed for being stored: a server that is killed may lose others with it. Nor are there consumers: each of 64 would
 * have to be replicated like the stream, which costs NATS more than twice as much per message and takes long to come back when
 * a server dies. Readers ask the server that leads the stream for the next message of their partition.
 */
function settings(bytesMax: number, replicas: number) {
  return {
    name: packetStream,
    subjects: [packetSubject('*')],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_msgs: messagesOf(bytesMax, null, 0, 0),
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
  const before = await find(jsm, streamBefore)
  if (before !== null && before.state.messages > 0)
    throw new StartError(
      `The stream ${streamBefore} of NATS, which earlier versions used, holds ${before.state.messages} messages that are not stored yet. Let nodes of the earlier version store them first.`,
    )
  const found = await find(jsm, packetStream)
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
  return { createdAt: found.created }
}

async function find(jsm: JetStreamManager, name: string): Promise<StreamInfo | null> {
  try {
    return await jsm.streams.info(name)
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === natsCodes.streamNotFound) return null
    throw error
  }
}
