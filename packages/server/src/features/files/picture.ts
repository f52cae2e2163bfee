/** In pixels. */
export interface PictureSize {
  width: number
  height: number
}

/**
 * Width and height of a picture from its header; undefined when the header is invalid.
 * @param type `image/png`, `image/jpeg`, `image/gif` or `image/webp`
 */
export function pictureSize(bytes: Uint8Array, type: string): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = (readers[type] ?? ofWebp)(view)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

const readers: Readonly<Record<string, (view: DataView) => PictureSize | undefined>> = {
  'image/png': ofPng,
  'image/jpeg': ofJpeg,
  'image/gif': ofGif,
}

/** The first chunk is IHDR: width and height follow its name. */
function ofPng(view: DataView): PictureSize | undefined {
  if (view.byteLength < 24 || nameAt(view, 12) !== 'IHDR') return undefined
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** Walks the segments up to the start of a frame (C0 to CF, except for tables C4, C8 and CC). */
function ofJpeg(view: DataView): PictureSize | undefined {
  let at = 2
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    const length = view.getUint16(at + 2)
    if (length < 2) return undefined
    at += 2 + length
  }
  return undefined
}

/** Lossy (VP8), lossless (VP8L) and extended (VP8X) files store their size in different ways. */
function ofWebp(view: DataView): PictureSize | undefined {
  if (view.byteLength < 30) return undefined
  const kind = nameAt(view, 12)
  if (kind === 'VP8 ')
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
  }
  if (kind !== 'VP8X') return undefined
  const at24 = (offset: number) => view.getUint16(offset, true) + view.getUint8(offset + 2) * 65_536
  return { width: at24(24) + 1, height: at24(27) + 1 }
}

function nameAt(view: DataView, offset: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(offset + index)))
}

/** The screen that its frames are drawn on. */
function ofGif(view: DataView): PictureSize | undefined {
  if (view.byteLength < 10) return undefined
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}
