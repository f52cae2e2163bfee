/** Blocks of a file: of each frame there are two. */
const blocksMax = 5_000
const headerBytes = 13
const graphicControl = 0xf9
const application = 0xff
/** How often frames are repeated. */
const looping = 'NETSCAPE2.0'

/** Bytes of a table of colours, by the byte that says whether there is one. */
const tableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 0x07) + 1))

/**
 * A GIF without anything that is not part of the picture: comments, texts, notes of programs, and what follows its end.
 * Every block is looked at once; pixels are not unpacked, but no frame may be larger than the picture.
 * @returns undefined when it is not one whole picture
 */
export function cleanGif(bytes: Buffer): Buffer | undefined {
  if (bytes.length < headerBytes || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined
  const screen = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  let at = headerBytes + tableBytes(bytes.readUInt8(10))
  if (at > bytes.length) return undefined
  const parts = [bytes.subarray(0, at)]
  let hasFrame = false
  for (let count = 0; count < blocksMax; count++) {
    const kind = bytes[at]
    if (kind === 0x3b) {
      parts.push(bytes.subarray(at, at + 1))
      return hasFrame ? Buffer.concat(parts) : undefined
    }
    const end =
      kind === 0x21 ? endOfBlocks(bytes, at + 2) : kind === 0x2c ? endOfFrame(bytes, at, screen) : undefined
    if (end === undefined) return undefined
    if (kind === 0x2c) hasFrame = true
    if (kind === 0x2c || isKept(bytes, at)) parts.push(bytes.subarray(at, end))
    at = end
  }
  return undefined
}

function isKept(bytes: Buffer, at: number): boolean {
  const label = bytes[at + 1]
  if (label === graphicControl) return bytes[at + 2] === 4
  return (
    label === application &&
    bytes[at + 2] === looping.length &&
    bytes.toString('latin1', at + 3, at + 14) === looping
  )
}

/** Where a chain of blocks ends, each with its length before it; undefined: behind the end of the file. */
function endOfBlocks(bytes: Buffer, from: number): number | undefined {
  let at = from
  for (let length = bytes[at]; length !== undefined; length = bytes[at]) {
    at += 1 + length
    if (length === 0) return at
  }
  return undefined
}

function endOfFrame(
  bytes: Buffer,
  at: number,
  screen: { width: number; height: number },
): number | undefined {
  if (at + 10 > bytes.length) return undefined
  const [left, top] = [bytes.readUInt16LE(at + 1), bytes.readUInt16LE(at + 3)]
  const [width, height] = [bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7)]
  if (width === 0 || height === 0 || left + width > screen.width || top + height > screen.height)
    return undefined
  const codes = at + 10 + tableBytes(bytes.readUInt8(at + 9))
  const codeBits = bytes[codes] ?? 0
  if (codeBits < 2 || codeBits > 11) return undefined
  return endOfBlocks(bytes, codes + 1)
}
