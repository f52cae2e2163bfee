/**
 * Follows the framing of a stream of MQTT packets (3.1.1, section 2.2: one byte, then the remaining length in
 * one to four bytes of seven bits) without buffering it. Lets a broker disconnect a client that announces a
 * packet of 256 MB before the parser buffers it.
 */
export class SizeGuard {
  readonly #bytesMax: number
  /** bytes of the current packet still to come; -1 while its header is being read */
  #rest = -1
  #headBytes = 0
  #length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /**
   * @returns the announced size of the first packet that is too large (or has an invalid length), else null
   */
  inspect(chunk: Uint8Array): number | null {
    let at = 0
    while (at < chunk.length) {
      if (this.#rest >= 0) {
        const taken = Math.min(this.#rest, chunk.length - at)
        this.#rest -= taken
        at += taken
        if (this.#rest === 0) this.#startPacket()
        continue
      }
      if (!this.#readHead(chunk[at] ?? 0)) return Number.POSITIVE_INFINITY
      at += 1
      if (this.#rest > this.#bytesMax) return this.#rest
      if (this.#rest === 0) this.#startPacket()
    }
    return null
  }

  #startPacket(): void {
    this.#rest = -1
    this.#headBytes = 0
    this.#length = 0
  }

  /** @returns false when the length has more than four bytes */
  #readHead(byte: number): boolean {
    this.#headBytes += 1
    if (this.#headBytes === 1) return true
    if (this.#headBytes > 5) return false
    this.#length += (byte & 0x7f) * 128 ** (this.#headBytes - 2)
    if ((byte & 0x80) === 0) this.#rest = this.#length
    return true
  }
}
