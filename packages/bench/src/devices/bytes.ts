/** Encodes numbers to bytes of radio messages. Values outside a field's range are clamped. */

/** What a simulated device sends: LoRaWAN port and payload. */
export interface Uplink {
  readonly fPort: number
  readonly bytes: Uint8Array
}

/** Collects fields of a payload in order. */
export class Payload {
  private readonly bytes: number[] = []

  /** Bytes as they are. */
  raw(...bytes: number[]): this {
    this.bytes.push(...bytes)
    return this
  }

  u8(value: number): this {
    return this.raw(whole(value, 0, 0xff))
  }

  s8(value: number): this {
    return this.raw(whole(value, -0x80, 0x7f) & 0xff)
  }

  u16be(value: number): this {
    const number = whole(value, 0, 0xffff)
    return this.raw(number >> 8, number & 0xff)
  }

  s16be(value: number): this {
    return this.u16be(whole(value, -0x8000, 0x7fff) & 0xffff)
  }

  u16le(value: number): this {
    const number = whole(value, 0, 0xffff)
    return this.raw(number & 0xff, number >> 8)
  }

  s16le(value: number): this {
    return this.u16le(whole(value, -0x8000, 0x7fff) & 0xffff)
  }

  u24le(value: number): this {
    const number = whole(value, 0, 0xff_ffff)
    return this.u16le(number & 0xffff).u8(number >> 16)
  }

  u32le(value: number): this {
    const number = whole(value, 0, 0xffff_ffff)
    return this.u16le(number % 65_536).u16le(Math.floor(number / 65_536))
  }

  u32be(value: number): this {
    const number = whole(value, 0, 0xffff_ffff)
    return this.u16be(Math.floor(number / 65_536)).u16be(number % 65_536)
  }

  on(fPort: number): Uplink {
    return { fPort, bytes: Uint8Array.from(this.bytes) }
  }
}

/** A byte of bits, the first one lowest. */
export function bits(...flags: readonly (boolean | undefined)[]): number {
  return flags.reduce((byte, flag, index) => byte | (flag === true ? 1 << index : 0), 0)
}

function whole(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, Math.round(value)))
}
