import type { StandardPacket } from '@leitstand/contract/bridge'
import { dedupKey, readPacket } from './resolve.ts'

/** The data by which a duplicate of a packet is recognised. */
export interface Identity {
  /** whether a duplicate is recognised by the key of its source, its time or its counter */
  recognised: boolean
  /** columns in the table of packets; null if the source gave no time */
  stored: { key: string; time: Date; fCnt: number | null; payload: string } | null
}

/** Pure. @param given the deduplication key from the source */
export function identityOf(packet: StandardPacket, receivedAt: Date, given: string | undefined): Identity {
  const read = readPacket(packet, receivedAt, new Date(0))
  // Values for states of twins are unique by state and time, so duplicates do no harm.
  if (read.kind !== 'device') return { recognised: true, stored: null }
  const { key, time, fCnt, payload, timed } = read
  return {
    recognised: dedupKey(read, given) !== null,
    stored: timed ? { key, time, fCnt, payload } : null,
  }
}
