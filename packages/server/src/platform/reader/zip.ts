import { inflateRawSync } from 'node:zlib'

/** Why an archive was rejected. */
export class ZipError extends Error {
  readonly isTooLarge: boolean
  constructor(message: string, isTooLarge = false) {
    super(message)
    this.isTooLarge = isTooLarge
  }
}

export interface ZipEntry {
  name: string
  /** uncompressed, according to the archive */
  size: number
  /** Decompresses it. @throws ZipError when the size differs from the declared one */
  read: () => Uint8Array
}

const endBytes = 22
const directoryBytes = 46
const localBytes = 30
const commentBytesMax = 65_535
/** We look for no entries with longer names. */
const nameBytesMax = 1_000
/** Deflate's best ratio; an archive that claims more is forged. */
const ratioMax = 1_040

/**
 * The entries of a ZIP archive from its directory, without decompressing. Sizes, offsets and counts are
 * checked against the archive: entries do not overlap, no ratio is impossible, and there is no second
 * directory (ZIP64).
 * @throws ZipError
 */
export function zipEntries(bytes: Uint8Array, entriesMax: number): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  const size = view.getUint32(end + 12, true)
  const start = view.getUint32(end + 16, true)
  if (view.getUint16(end + 8, true) !== count || view.getUint32(end + 4, true) !== 0)
    throw new ZipError('it is one part of several')
  if (count === 0xffff || start === 0xffffffff || size === 0xffffffff)
    throw new ZipError('ZIP64 is not read', true)
  if (count > entriesMax) throw new ZipError(`more than ${entriesMax} entries`, true)
  if (start + size > end) throw new ZipError('its directory lies outside of it')
  const entries: (ZipEntry & { from: number; to: number })[] = []
  let at = start
  for (let index = 0; index < count; index++) {
    if (at + directoryBytes > end || view.getUint32(at, true) !== 0x02014b50)
      throw new ZipError('its directory is broken')
    const nameBytes = view.getUint16(at + 28, true)
    const next =
      at + directoryBytes + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    if (next > end) throw new ZipError('its directory is broken')
    if (nameBytes <= nameBytesMax) entries.push(entryAt(bytes, view, at, nameBytes, start))
    at = next
  }
  requireApart(entries)
  return entries
}

function findEnd(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - endBytes - commentBytesMax)
  for (let at = view.byteLength - endBytes; at >= lowest; at--) {
    if (view.getUint32(at, true) === 0x06054b50) return at
  }
  throw new ZipError('it has no directory')
}

function entryAt(bytes: Uint8Array, view: DataView, at: number, nameBytes: number, directory: number) {
  const flags = view.getUint16(at + 8, true)
  const method = view.getUint16(at + 10, true)
  const packed = view.getUint32(at + 20, true)
  const size = view.getUint32(at + 24, true)
  const from = view.getUint32(at + 42, true)
  const name = new TextDecoder().decode(bytes.subarray(at + directoryBytes, at + directoryBytes + nameBytes))
  if (from + localBytes > directory || view.getUint32(from, true) !== 0x04034b50)
    throw new ZipError('an entry is not where the directory says')
  const begin = from + localBytes + view.getUint16(from + 26, true) + view.getUint16(from + 28, true)
  const to = begin + packed
  if (to > directory) throw new ZipError('an entry lies outside of the archive')
  if (size > packed * ratioMax) throw new ZipError('an entry claims to be packed tighter than possible')
  const read = () => {
    if ((flags & 1) !== 0) throw new ZipError('an entry is encrypted')
    return unpack(bytes.subarray(begin, to), method, size)
  }
  return { name, size, from, to, read }
}

/** Overlapping entries would decompress the same bytes many times. @throws ZipError */
function requireApart(entries: readonly { from: number; to: number }[]): void {
  const sorted = entries.toSorted((a, b) => a.from - b.from)
  for (const [index, { from }] of sorted.entries()) {
    if (index > 0 && from < (sorted[index - 1]?.to ?? 0)) throw new ZipError('its entries overlap')
  }
}

function unpack(packed: Uint8Array, method: number, size: number): Uint8Array {
  if (method !== 0 && method !== 8) throw new ZipError('an entry is packed in a way that is not read')
  let content = packed
  if (method === 8 && size > 0) {
    try {
      content = inflateRawSync(packed, { maxOutputLength: size })
    } catch (error) {
      throw new ZipError(
        error instanceof RangeError ? 'an entry is larger than it claims' : 'an entry is broken',
      )
    }
  }
  if (content.byteLength !== size && size > 0) throw new ZipError('an entry is not as large as it claims')
  return size === 0 ? new Uint8Array() : content
}
