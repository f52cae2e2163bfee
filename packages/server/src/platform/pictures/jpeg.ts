/** Of a file; a photo has some dozens. */
const segmentsMax = 2_000
const start = Buffer.from([0xff, 0xd8])
const end = Buffer.from([0xff, 0xd9])
const exifMark = Buffer.from('Exif\0\0', 'latin1')
const jfifMark = Buffer.from('JFIF\0', 'latin1')
const adobeMark = Buffer.from('Adobe', 'latin1')
/** Identifier, version, units and densities of a JFIF segment; a small preview follows. */
const jfifBytes = 12
const orientationTag = 0x0112

/** Markers that begin a frame, with its size: all but those of tables, which are among them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
/** Tables, frames, scans and restarts: what a picture is made of. */
const isPart = (marker: number) => isFrame(marker) || [0xc4, 0xcc, 0xda, 0xdb, 0xdc, 0xdd].includes(marker)

interface Segment {
  marker: number
  content: Buffer
  whole: Buffer
  /** of a scan: its packed pixels */
  pixels: Buffer | null
}

/**
 * A JPEG without anything that is not part of the picture: texts, positions, previews, profiles, and what follows its end.
 * The one thing kept of a camera's notes is which side is up. Every byte is looked at once; pixels are not unpacked.
 * @returns undefined when it is not one whole picture
 */
export function cleanJpeg(bytes: Buffer): Buffer | undefined {
  const segments = segmentsOf(bytes)
  const frame = segments?.findIndex(({ marker }) => isFrame(marker)) ?? -1
  const scan = segments?.findIndex(({ pixels }) => pixels !== null) ?? -1
  if (segments === undefined || frame === -1 || scan < frame) return undefined
  if (segments.filter(({ marker }) => isFrame(marker)).length > 1) return undefined
  const parts = segments.flatMap(({ marker, content, whole, pixels }) => {
    const kept = isPart(marker) ? whole : keptOf(marker, content)
    return [...(kept === undefined ? [] : [kept]), ...(pixels === null ? [] : [pixels])]
  })
  return Buffer.concat([start, ...parts, end])
}

/** All segments up to the end of the picture; undefined when one is cut off. */
function segmentsOf(bytes: Buffer): Segment[] | undefined {
  if (!startsWith(bytes, start)) return undefined
  const segments: Segment[] = []
  let at = start.length
  while (segments.length < segmentsMax) {
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++
    const marker = bytes[at] === 0xff ? bytes[at + 1] : undefined
    if (marker === 0xd9) return segments
    if (marker === undefined || at + 4 > bytes.length) return undefined
    const until = at + 2 + bytes.readUInt16BE(at + 2)
    if (until < at + 4 || until > bytes.length) return undefined
    const next = marker === 0xda ? endOfScan(bytes, until) : until
    segments.push({
      marker,
      content: bytes.subarray(at + 4, until),
      whole: bytes.subarray(at, until),
      pixels: marker === 0xda ? bytes.subarray(until, next) : null,
    })
    at = next
  }
  return undefined
}

/** What remains of a segment of an application. */
function keptOf(marker: number, content: Buffer): Buffer | undefined {
  if (marker === 0xe0 && startsWith(content, jfifMark) && content.length >= jfifBytes)
    return segment(marker, Buffer.concat([content.subarray(0, jfifBytes), Buffer.alloc(2)]))
  // How colours are stored.
  if (marker === 0xee && startsWith(content, adobeMark)) return segment(marker, content.subarray(0, 12))
  if (marker !== 0xe1 || !startsWith(content, exifMark)) return undefined
  const orientation = orientationOf(content.subarray(exifMark.length))
  return orientation === undefined ? undefined : segment(marker, exifWith(orientation))
}

const startsWith = (content: Buffer, mark: Buffer) => content.subarray(0, mark.length).equals(mark)

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

/** Which side is up, 2 to 8, in the first directory of the notes; undefined: it is as it is stored. */
function orientationOf(notes: Buffer): number | undefined {
  const order = notes.toString('latin1', 0, 2)
  if (notes.length < 10 || (order !== 'II' && order !== 'MM')) return undefined
  const isLittle = order === 'II'
  const word = (at: number) => (isLittle ? notes.readUInt16LE(at) : notes.readUInt16BE(at))
  const first = isLittle ? notes.readUInt32LE(4) : notes.readUInt32BE(4)
  if (first + 2 > notes.length) return undefined
  const entries = word(first)
  for (let index = 0; index < entries; index++) {
    const at = first + 2 + index * 12
    if (at + 12 > notes.length) return undefined
    if (word(at) !== orientationTag) continue
    const orientation = word(at + 8)
    return orientation >= 2 && orientation <= 8 ? orientation : undefined
  }
  return undefined
}

/** Notes that say which side is up and nothing else. */
function exifWith(orientation: number): Buffer {
  const notes = Buffer.alloc(26)
  notes.write('MM\0*', 'latin1')
  notes.writeUInt32BE(8, 4)
  notes.writeUInt16BE(1, 8)
  notes.writeUInt16BE(orientationTag, 10)
  // A short, of which there is one.
  notes.writeUInt16BE(3, 12)
  notes.writeUInt32BE(1, 14)
  notes.writeUInt16BE(orientation, 18)
  return Buffer.concat([exifMark, notes])
}

/** Where the packed pixels of a scan end: at the next marker that is neither a byte of them nor a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from)
  while (at !== -1) {
    const next = bytes[at + 1] ?? 0
    const isInside = next === 0 || (next >= 0xd0 && next <= 0xd7)
    if (!isInside && next !== 0xff) return at
    at = bytes.indexOf(0xff, at + (isInside ? 2 : 1))
  }
  return bytes.length
}
