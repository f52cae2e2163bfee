import { crc32, deflateSync } from 'node:zlib'

/** A PNG, 1 × 1, transparent. */
export const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A chunk of a PNG. */
export function pngChunk(name: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(content.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** The header of a PNG with three bytes per pixel. */
export function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2], 8)
  return pngChunk('IHDR', header)
}

/** A PNG of one colour. @param extra chunks before the pixels */
export function png(
  width: number,
  height: number,
  { colour = [11, 114, 133], extra = [] }: { colour?: readonly number[]; extra?: readonly Buffer[] } = {},
): Buffer {
  const row = Buffer.from([0, ...Array.from({ length: width }, () => colour).flat()])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const end = pngChunk('IEND', Buffer.alloc(0))
  return Buffer.concat([signature, pngHeader(width, height), ...extra, pngChunk('IDAT', pixels), end])
}
