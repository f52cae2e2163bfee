/**
 * The messages between the server and a sandbox process: a pipe carries frames of
 * `length (4 bytes) · type (1 byte) · call (4 bytes) · text (UTF-8)`, length counting everything after itself.
 * Inputs and results are sent as JSON text that the sandbox process itself never has to parse.
 */
import type { Duplex } from 'node:stream'

export const FRAME = {
  define: 1,
  run: 2,
  forget: 3,
  check: 4,
  ready: 16,
  /** Some of the results of a call. */
  part: 20,
  /** The last of them. */
  result: 17,
  alive: 18,
  checked: 19,
} as const

const HEAD_BYTES = 9
/** Bytes counted by the length besides the text. */
const COUNTED_BYTES = HEAD_BYTES - 4

/** Writes one frame. */
export function writeFrame(stream: Duplex, type: number, call: number, text = ''): void {
  const bytes = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(HEAD_BYTES + bytes)
  frame.writeUInt32LE(bytes + COUNTED_BYTES, 0)
  frame[4] = type
  frame.writeUInt32LE(call, 5)
  frame.write(text, HEAD_BYTES, 'utf8')
  stream.write(frame)
}

/**
 * Calls `onFrame` for every complete frame that arrives on the stream.
 * @param bytesMax a longer frame means that the stream is out of sync, or the peer hostile: the stream is
 * destroyed
 */
export function readFrames(
  stream: Duplex,
  bytesMax: number,
  onFrame: (type: number, call: number, text: string) => void,
): void {
  let parts: Buffer[] = []
  let held = 0
  let needed = 4
  stream.on('data', (chunk: Buffer) => {
    parts.push(chunk)
    held += chunk.length
    if (held < needed) return
    let bytes = parts.length === 1 ? chunk : Buffer.concat(parts, held)
    for (;;) {
      needed = bytes.length < 4 ? 4 : bytes.readUInt32LE(0) + 4
      if (needed > bytesMax || (bytes.length >= 4 && needed < HEAD_BYTES)) {
        stream.destroy(new Error('The pipe to the sandbox is out of step'))
        return
      }
      if (bytes.length < needed) break
      onFrame(bytes[4] ?? 0, bytes.readUInt32LE(5), bytes.toString('utf8', HEAD_BYTES, needed))
      bytes = bytes.subarray(needed)
    }
    parts = bytes.length === 0 ? [] : [bytes]
    held = bytes.length
  })
}
