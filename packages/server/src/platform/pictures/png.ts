import { crc32, createInflate } from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Length, name and checksum around the content of a chunk. */
const frameBytes = 12
const chunksMax = 5000
/** What a picture is made of; all else (texts, profiles, positions) is left out. */
const kept = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'sRGB', 'IDAT', 'IEND'])
/** Values per pixel by colour type, and the depths that go with it. */
const colourTypes: Readonly<Record<number, { values: number; depths: readonly number[] }>> = {
  0: { values: 1, depths: [1, 2, 4, 8, 16] },
  2: { values: 3, depths: [8, 16] },
  3: { values: 1, depths: [1, 2, 4, 8] },
  4: { values: 2, depths: [8, 16] },
  6: { values: 4, depths: [8, 16] },
}
/** An interlaced picture is stored as seven, each with rows that are rounded up and begin with a byte of their own. */
const interlacedPasses = 7

export type PngRefusal = 'noPng' | 'broken' | 'animated' | 'notSquare' | 'tooLarge'

export interface CleanPng {
  width: number
  height: number
  bytes: Buffer
}

interface Chunk {
  name: string
  content: Buffer
  whole: Buffer
}

/**
 * Checks that bytes are one still PNG picture, and returns it without anything that is not part of the picture. Pixels are
 * unpacked once, in a thread, and never more than the size allows; they are not kept.
 * @param sideMax of width and height, in pixels
 * @returns why it is refused
 */
export async function cleanPng(
  bytes: Buffer,
  { sideMax, isSquare = false }: { sideMax: number; isSquare?: boolean },
): Promise<CleanPng | PngRefusal> {
  if (!bytes.subarray(0, signature.length).equals(signature)) return 'noPng'
  const chunks = chunksOf(bytes)
  if (chunks === undefined) return 'broken'
  if (chunks.some(({ name }) => name === 'acTL' || name === 'fdAT' || name === 'fcTL')) return 'animated'
  const [first] = chunks
  if (first?.name !== 'IHDR' || first.content.length !== 13 || chunks.at(-1)?.name !== 'IEND') return 'broken'
  if (chunks.filter(({ name }) => name === 'IHDR' || name === 'IEND').length !== 2) return 'broken'
  const width = first.content.readUInt32BE(0)
  const height = first.content.readUInt32BE(4)
  if (width === 0 || height === 0) return 'broken'
  if (width > sideMax || height > sideMax) return 'tooLarge'
  if (isSquare && width !== height) return 'notSquare'
  const rawMax = rawBytesMax(first.content, width, height)
  if (rawMax === undefined) return 'broken'
  const packed = Buffer.concat(chunks.flatMap(({ name, content }) => (name === 'IDAT' ? [content] : [])))
  if (!(await isPicture(packed, rawMax))) return 'broken'
  const parts = chunks.flatMap(({ name, whole }) => (kept.has(name) ? [whole] : []))
  return { width, height, bytes: Buffer.concat([signature, ...parts]) }
}

/** All chunks up to the end; undefined when one is cut off or its checksum is wrong. */
function chunksOf(bytes: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = []
  let at = signature.length
  while (at + frameBytes <= bytes.length && chunks.length < chunksMax) {
    const end = at + frameBytes + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined
    chunks.push({ name, content: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) })
    // Whatever follows the end is no part of the picture.
    if (name === 'IEND') return chunks
    at = end
  }
  return undefined
}

/** Bytes of the unpacked pixels at most; undefined for a header that is none of PNG. */
function rawBytesMax(header: Buffer, width: number, height: number): number | undefined {
  const [depth = 0, type = 0, packing, filter, interlaced = 0] = header.subarray(8)
  const known = colourTypes[type]
  if (!known?.depths.includes(depth) || packing !== 0 || filter !== 0 || interlaced > 1) return undefined
  const row = Math.ceil((width * known.values * depth) / 8) + 1
  return interlaced === 0 ? row * height : (row + interlacedPasses) * (height + interlacedPasses) * 2
}

async function isPicture(packed: Buffer, rawMax: number): Promise<boolean> {
  const unpacking = createInflate()
  unpacking.end(packed)
  let length = 0
  try {
    for await (const part of unpacking) {
      length += part.length
      if (length > rawMax) return false
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
  return length > 0
}
