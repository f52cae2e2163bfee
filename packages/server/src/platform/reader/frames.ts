/**
 * The messages between the server and a reader process: frames of `length (4 bytes) · type (1 byte) · content`, length
 * counting the content.
 */
import type { Writable } from 'node:stream'

export const frameTypes = {
  /** JSON: module and input; the bytes of the file follow in the next frame */
  task: 1,
  file: 2,
  /** JSON: one part of the result */
  part: 16,
  /** JSON: code, message and data of the error that refuses the file */
  refused: 17,
  /** text of an unexpected error */
  failed: 18,
  done: 19,
} as const

const headBytes = 5

export interface Frame {
  type: number
  content: Buffer
}

/** Writes one frame; the file is not copied. */
export function writeFrame(stream: Writable, type: number, content: Uint8Array | string = ''): void {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const head = Buffer.alloc(headBytes)
  head.writeUInt32LE(bytes.byteLength, 0)
  head[4] = type
  stream.write(head)
  if (bytes.byteLength > 0) stream.write(bytes)
}

/**
 * The frames of a stream, read only as far as they are consumed.
 * @throws Error when a frame is longer than allowed
 */
export async function* framesOf(stream: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Frame> {
  let pieces: Buffer[] = []
  let held = 0
  let needed = headBytes
  for await (const chunk of stream) {
    pieces.push(chunk)
    held += chunk.length
    if (held < needed) continue
    let bytes = pieces.length === 1 ? chunk : Buffer.concat(pieces, held)
    for (;;) {
      const length = bytes.length < headBytes ? 0 : bytes.readUInt32LE(0)
      if (length > bytesMax) throw new Error('a message of the process is longer than allowed')
      needed = headBytes + length
      if (bytes.length < needed) break
      yield { type: bytes[4] ?? 0, content: bytes.subarray(headBytes, needed) }
      bytes = bytes.subarray(needed)
    }
    pieces = bytes.length === 0 ? [] : [bytes]
    held = bytes.length
  }
}
