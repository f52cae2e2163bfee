import { goldenTime } from '../compare.ts'
import { checkPayload } from '../payload.ts'
import type { Encoding, Golden, RecentPacket } from '../queries.ts'

/** A packet of the tester, from any source. */
export interface TestPacket {
  key: string
  source: 'own' | 'recent' | 'golden'
  title: string
  payload: string
  encoding: Encoding
  fPort: number | null
  /** receive time; absent: now */
  time?: string
}

/** What the user typed into the tester. */
export interface OwnPacket {
  payload: string
  encoding: Encoding
  fPort: number | string
}

/** Packets to test a script on: the typed one first, then received ones, then the driver's golden packets. */
export function testPackets(
  own: OwnPacket,
  recent: readonly RecentPacket[],
  golden: readonly Golden[],
  ownTitle: string,
): TestPacket[] {
  const typed = checkPayload(own.payload, own.encoding)
  const port = own.fPort === '' ? null : Number(own.fPort)
  const packets: TestPacket[] = [
    ...(typed.ok
      ? [
          {
            key: 'own',
            source: 'own' as const,
            title: ownTitle,
            payload: typed.text,
            encoding: own.encoding,
            fPort: port !== null && Number.isInteger(port) && port >= 0 && port <= 255 ? port : null,
          },
        ]
      : []),
    ...recent.map((packet) => ({
      key: `recent-${packet.packetId}`,
      source: 'recent' as const,
      title: packet.deviceTitle,
      payload: packet.payload,
      encoding: packet.encoding,
      fPort: packet.fPort,
      time: packet.receivedAt,
    })),
    ...golden.map((packet, index) => ({
      key: `golden-${index}`,
      source: 'golden' as const,
      title: packet.title,
      payload: packet.payload,
      encoding: packet.encoding,
      fPort: packet.fPort,
      time: goldenTime,
    })),
  ]
  return packets
}

/** A packet's payload as hexadecimal digits; empty if it has no bytes. */
export function hexOf({ payload, encoding }: Pick<TestPacket, 'payload' | 'encoding'>): string {
  if (encoding === 'json') return ''
  if (encoding === 'base16') {
    const read = checkPayload(payload, 'base16')
    return read.ok ? read.text : ''
  }
  const read = checkPayload(payload, 'base64')
  if (!read.ok) return ''
  try {
    const text = atob(read.text.replace(/-/g, '+').replace(/_/g, '/'))
    return [...text].map((each) => each.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  } catch {
    // Invalid base64 length: there is nothing to show.
    return ''
  }
}
