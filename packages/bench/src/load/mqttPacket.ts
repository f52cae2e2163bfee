/** The few packets of MQTT 3.1.1 a publisher with QoS 1 needs. */

const types = { connack: 2, puback: 4 } as const

export type Inbound = { kind: 'connack'; code: number } | { kind: 'puback'; id: number }

export function connectPacket(
  clientId: string,
  username: string,
  password: string,
  keepAliveSeconds: number,
) {
  const cleanWithLogin = 0b1100_0010
  return packet(0x10, [
    text('MQTT'),
    Buffer.from([4, cleanWithLogin, keepAliveSeconds >> 8, keepAliveSeconds & 0xff]),
    ...[text(clientId), text(username), text(password)],
  ])
}

/**
 * @param id 1 to 65 535, not in use on the connection
 * @param again whether it was sent before, on an earlier connection
 */
export function publishPacket(topic: string, id: number, payload: string, again = false): Buffer {
  return packet(again ? 0x3a : 0x32, [text(topic), Buffer.from([id >> 8, id & 0xff]), Buffer.from(payload)])
}

export function disconnectPacket(): Buffer {
  return packet(0xe0, [])
}

function packet(head: number, parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Buffer.from([head, ...lengthBytes(length)]), ...parts])
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
}

/** 7 bits a byte, the lowest first, the top bit says that more follow (2.2.3). */
function lengthBytes(length: number): number[] {
  const bytes: number[] = []
  let rest = length
  do {
    const more = rest > 0x7f
    bytes.push((rest & 0x7f) | (more ? 0x80 : 0))
    rest >>>= 7
  } while (rest > 0)
  return bytes
}

/**
 * Reads the packets that are whole; answers of a broker have fewer than 128 bytes.
 * @returns them and how many bytes they took
 * @throws when something else arrives
 */
export function readPackets(bytes: Buffer): { packets: Inbound[]; taken: number } {
  const packets: Inbound[] = []
  let at = 0
  while (at + 4 <= bytes.length) {
    const type = (bytes[at] as number) >> 4
    const length = bytes[at + 1] as number
    if (length !== 2) throw new Error(`the broker sent a packet of type ${type} with ${length} bytes`)
    if (type === types.puback) packets.push({ kind: 'puback', id: bytes.readUInt16BE(at + 2) })
    else if (type === types.connack) packets.push({ kind: 'connack', code: bytes[at + 3] as number })
    else throw new Error(`the broker sent a packet of type ${type}`)
    at += 4
  }
  return { packets, taken: at }
}
