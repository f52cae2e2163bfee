import { readBytes, readFields } from '../layout.ts'
import type { ParserKindOf } from '../types.ts'

/** Bytes by one layout. */
export const single: ParserKindOf<'single'> = {
  read: (_tools, { parser }, packets) =>
    packets.map((packet) => readBytes(packet, (bytes) => readFields(bytes, parser.fields))),
}
