import type { Socket } from 'node:net'

/** Limits of the packets that a peer sends. */
export interface PacketLimits {
  /** of a packet */
  readonly bytesMax: number
}

/** Types of packets (3.1.1, section 2.2.1). */
const types = { connect: 1, publish: 3 } as const

/** Maximum size of all packets but messages and CONNECT: thousands of topics, more than anybody subscribes to. */
const otherBytesMax = 65_536
/**
 * Maximum number of packets other than messages in one chunk of a socket (64 KiB). A subscriber may acknowledge
 * many messages at once; a chunk of pings alone would be 32 000 packets.
 */
const othersMax = 5_000

/**
 * Follows the framing of a stream of MQTT packets (3.1.1, section 2.2: one byte, then the remaining length in
 * one to four bytes of seven bits) without buffering it. Lets a broker disconnect a client that announces a
 * packet of 256 MB before the parser buffers it, or whose packets would keep the parser busy for long.
 */
export class SizeGuard {
  readonly #bytesMax: number
  /** bytes of the current packet still to come; -1 while its header is being read */
  #rest = -1
  #headBytes = 0
  #length = 0
  #type = 0

  constructor({ bytesMax }: PacketLimits) {
    this.#bytesMax = bytesMax
  }

  /** @returns how the chunk exceeds the limits, e.g. `a packet of 300 bytes, allowed are 200`, else null */
  inspect(chunk: Uint8Array): string | null {
    let at = 0
    let others = 0
    while (at < chunk.length) {
      if (this.#rest >= 0) {
        const taken = Math.min(this.#rest, chunk.length - at)
        this.#rest -= taken
        at += taken
        if (this.#rest === 0) this.#startPacket()
        continue
      }
      if (!this.#readHead(chunk[at] ?? 0)) return 'a packet without a valid length'
      at += 1
      if (this.#rest < 0) continue
      const bytesMax = this.#bytesMaxOf(this.#type)
      if (this.#rest > bytesMax) return `a packet of ${this.#rest} bytes, allowed are ${bytesMax}`
      if (this.#type !== types.publish && ++others > othersMax)
        return `more than ${othersMax} packets at once that are no messages`
      if (this.#rest === 0) this.#startPacket()
    }
    return null
  }

  #bytesMaxOf(type: number): number {
    const isLarge = type === types.publish || type === types.connect
    return isLarge ? this.#bytesMax : Math.min(this.#bytesMax, otherBytesMax)
  }

  #startPacket(): void {
    this.#rest = -1
    this.#headBytes = 0
    this.#length = 0
  }

  /** @returns false when the length has more than four bytes */
  #readHead(byte: number): boolean {
    this.#headBytes += 1
    if (this.#headBytes === 1) {
      this.#type = byte >> 4
      return true
    }
    if (this.#headBytes > 5) return false
    this.#length += (byte & 0x7f) * 128 ** (this.#headBytes - 2)
    if ((byte & 0x80) === 0) this.#rest = this.#length
    return true
  }
}

/**
 * Inspects what a socket receives before anything can read it. The chunk that exceeds the limits is dropped, and
 * the socket is destroyed.
 * @param refused called before with what is wrong, see `SizeGuard`
 */
export function guardPackets(socket: Socket, limits: PacketLimits, refused: (problem: string) => void): void {
  const guard = new SizeGuard(limits)
  const push = socket.push.bind(socket)
  socket.push = (chunk: Uint8Array | null, encoding?: BufferEncoding): boolean => {
    const problem = chunk === null || socket.destroyed ? null : guard.inspect(chunk)
    if (problem === null) return push(chunk, encoding)
    refused(problem)
    socket.destroy()
    return false
  }
}
