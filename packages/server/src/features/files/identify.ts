import { fileLimits, pictureTypes, type StoredFile } from '@leitstand/contract/files'
import { AppError } from '../../platform/errors.ts'
import type { Reader } from '../../platform/reader/index.ts'
import { storableText } from '../../platform/storable.ts'
import { type Looked, lookTask } from './task.ts'

/** Types that may be stored, with their file extensions. */
const endings: Readonly<Record<string, readonly string[]>> = {
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'application/pdf': ['pdf'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['pptx'],
  'application/vnd.oasis.opendocument.text': ['odt'],
  'application/vnd.oasis.opendocument.spreadsheet': ['ods'],
  'application/vnd.oasis.opendocument.presentation': ['odp'],
  'application/zip': ['zip'],
  'video/mp4': ['mp4', 'm4v'],
  'text/plain': ['txt', 'csv', 'json', 'md', 'log', 'yaml', 'yml', 'toml', 'xml', 'js'],
}

/**
 * The media type of a file by its content, and the name to store it under, with a matching extension.
 * @throws AppError FILE_EMPTY, FILE_TYPE_REFUSED with the type if known, FILE_NO_PICTURE,
 * FILE_PICTURE_TOO_LARGE, FILE_TOO_DEMANDING, OVERLOADED
 */
export async function identify(
  reader: Pick<Reader, 'read'>,
  {
    bytes,
    name,
    role,
    accountId,
  }: { bytes: Uint8Array; name: string; role: StoredFile['role']; accountId: number },
): Promise<{ type: string; name: string }> {
  if (bytes.length === 0) throw new AppError('FILE_EMPTY')
  const looked = await lookAt(reader, { bytes, accountId })
  const type = looked.type ?? undefined
  const isPicture = pictureTypes.some((each) => each === type)
  if (role !== 'attachment' && !isPicture) throw new AppError('FILE_NO_PICTURE', { type })
  const allowed = type === undefined ? undefined : endings[type]
  if (type === undefined || allowed === undefined) throw new AppError('FILE_TYPE_REFUSED', { type })
  if (isPicture) requireSize(looked.size, type)
  return { type, name: nameFor(name, allowed) }
}

/** The type of the content of a file, and the size of a picture. @throws AppError FILE_TOO_DEMANDING, OVERLOADED */
export async function lookAt(
  reader: Pick<Reader, 'read'>,
  { bytes, accountId }: { bytes: Uint8Array; accountId: number },
): Promise<Looked> {
  const [looked] = await reader.read(lookTask, { bytes, accountId, input: null })
  return looked ?? { type: null, size: null }
}

function requireSize(size: Looked['size'], type: string): void {
  const sideMax = fileLimits.pictureSideMaxPx
  if (size === null) throw new AppError('FILE_NO_PICTURE', { type })
  if (size.width > sideMax || size.height > sideMax)
    throw new AppError('FILE_PICTURE_TOO_LARGE', { ...size, sideMax })
}

/** Removes folders and characters not allowed in a header, and ensures an extension of the type. */
export function nameFor(given: string, allowed: readonly string[]): string {
  const last = storableText(given.slice(-1000)).split(/[/\\]/).at(-1) ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const clean = last.replace(/[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '').trim()
  const ending = /\.([a-z0-9]{1,10})$/i.exec(clean)?.[1]?.toLowerCase()
  const base = clean === '' || clean.startsWith('.') ? `file${clean}` : clean
  const suffix = ending !== undefined && allowed.includes(ending) ? '' : `.${allowed[0]}`
  const room = fileLimits.nameLengthMax - suffix.length
  if (base.length <= room) return base + suffix
  return ending === undefined || suffix !== ''
    ? [...base].join('').slice(0, room).toWellFormed() + suffix
    : `${base.slice(0, room - ending.length - 1).toWellFormed()}.${ending}`
}
