import { readByLayouts, readBytes } from '../layout.ts'
import type { ParserKindOf } from '../types.ts'

/** Bytes by the first of several layouts that applies. */
export const multi: ParserKindOf<'multi'> = {
  read: (_tools, { parser }, packets) =>
    packets.map((packet) => readBytes(packet, (bytes) => readByLayouts(bytes, packet.fPort, parser.layouts))),
}
