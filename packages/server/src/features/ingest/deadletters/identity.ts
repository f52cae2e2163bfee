import type { StandardPacket } from '@leitstand/contract/bridge'
import { dedupKey, readPacket } from '../resolve.ts'

/** What a packet is recognised by, as far as its source tells. */
export interface Identity {
  /** whether a second delivery is recognised by itself: by its source's key, its time or its counter */
  recognised: boolean
  /** set when the source said when it was sent: how it would lie in the table of packets */
  stored: { key: string; time: Date; fCnt: number | null; payload: string } | null
}

/** Pure. @param given what the source calls the packet */
export function identityOf(packet: StandardPacket, receivedAt: Date, given: string | undefined): Identity {
  const read = readPacket(packet, receivedAt, new Date(0))
  // Values for states of twins collapse by state and time: twice is once.
  if (read.kind !== 'device') return { recognised: true, stored: null }
  const { key, time, fCnt, payload, timed } = read
  return {
    recognised: dedupKey(read, given) !== null,
    stored: timed ? { key, time, fCnt, payload } : null,
  }
}
