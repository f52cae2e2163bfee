import { type WarnMediaRole, warnLimits, warnMediaTypes } from '@leitstand/contract/warnapp'
import { AppError } from '../../platform/errors.ts'
import { cleanGif } from '../../platform/pictures/gif.ts'
import { cleanJpeg } from '../../platform/pictures/jpeg.ts'
import { cleanPng } from '../../platform/pictures/png.ts'
import type { Reader } from '../../platform/reader/index.ts'
import { lookAt, nameFor } from '../files/index.ts'

/** What a type is stored as, with its file extensions. WebM of a recorder is a container for video; only its sound is played. */
const kinds: Readonly<Record<string, { type: string; endings: readonly string[] }>> = {
  'image/jpeg': { type: 'image/jpeg', endings: ['jpg', 'jpeg'] },
  'image/png': { type: 'image/png', endings: ['png'] },
  'image/gif': { type: 'image/gif', endings: ['gif'] },
  'audio/mpeg': { type: 'audio/mpeg', endings: ['mp3'] },
  'video/webm': { type: 'audio/webm', endings: ['webm'] },
  'audio/wav': { type: 'audio/wav', endings: ['wav'] },
  'audio/flac': { type: 'audio/flac', endings: ['flac'] },
}

/**
 * What an uploaded file is by its content, the name to store it under, and what is stored: images without anything that is not
 * part of the picture. What it is called and what the browser says it is does not count.
 * @throws AppError FILE_EMPTY, WARN_MEDIA_REFUSED, WARN_MEDIA_TOO_LARGE, FILE_TOO_DEMANDING, OVERLOADED
 */
export async function checkMedia(
  reader: Pick<Reader, 'read'>,
  { bytes, name, role, accountId }: { bytes: Buffer; name: string; role: WarnMediaRole; accountId: number },
): Promise<{ type: string; name: string; bytes: Buffer }> {
  if (bytes.length === 0) throw new AppError('FILE_EMPTY')
  const bytesMax = role === 'image' ? warnLimits.imageBytesMax : warnLimits.soundBytesMax
  if (bytes.length > bytesMax) throw new AppError('WARN_MEDIA_TOO_LARGE', { bytesMax })
  const { type: found, size } = await lookAt(reader, { bytes, accountId })
  const kind = found === null ? undefined : kinds[found]
  const allowed: readonly string[] = warnMediaTypes[role]
  if (kind === undefined || !allowed.includes(kind.type))
    throw new AppError('WARN_MEDIA_REFUSED', { role, type: found })
  if (role === 'image') {
    const sideMax = warnLimits.imageSideMaxPx
    if (size === null) throw new AppError('WARN_MEDIA_REFUSED', { role, type: found })
    if (size.width > sideMax || size.height > sideMax)
      throw new AppError('WARN_MEDIA_TOO_LARGE', { ...size, sideMax })
  }
  if (kind.type === 'audio/mpeg' && !isMp3(bytes))
    throw new AppError('WARN_MEDIA_REFUSED', { role, type: null })
  const stored = role === 'image' ? await pictureOf(bytes, kind.type) : bytes
  if (stored === undefined) throw new AppError('WARN_MEDIA_REFUSED', { role, type: found })
  return { type: kind.type, name: nameFor(name, kind.endings), bytes: stored }
}

/** @returns undefined when it is broken */
async function pictureOf(bytes: Buffer, type: string): Promise<Buffer | undefined> {
  if (type === 'image/jpeg') return cleanJpeg(bytes)
  if (type === 'image/gif') return cleanGif(bytes)
  const picture = await cleanPng(bytes, { sideMax: warnLimits.imageSideMaxPx })
  return typeof picture === 'string' ? undefined : picture.bytes
}

/** Whether bytes begin with a frame of MPEG audio, after a tag if there is one: a text can begin with `ID3`, too. */
function isMp3(bytes: Uint8Array): boolean {
  let at = 0
  if (bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33) {
    // Its size is in seven bits of each of four bytes.
    const size = [...bytes.subarray(6, 10)]
    if (size.length < 4 || size.some((byte) => byte > 0x7f)) return false
    at = 10 + size.reduce((sum, byte) => sum * 0x80 + byte, 0)
  }
  while (bytes[at] === 0) at++
  return bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xe0) === 0xe0
}
