import { fileLimits, pictureTypes } from '@leitstand/contract/files'
import { fileTypeFromBuffer } from 'file-type'
import { AppError } from '../../platform/errors.ts'
import { pictureSize } from './picture.ts'

/** Types that may be stored, with the endings their names have. */
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

/** What browsers would draw or run, were it ever shown in place. */
const active = /<(svg|html|script|body|iframe)[\s>/]|<!doctype html/i
/** Control characters that no text has, beside tab, line feed, form feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const binary = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/

/**
 * The media type of a file by its content, and the name to keep it under, whose ending says the same.
 * @throws AppError FILE_EMPTY, FILE_TYPE_REFUSED with the type where there is one, FILE_NO_PICTURE,
 * FILE_PICTURE_TOO_LARGE
 */
export async function identify(
  bytes: Uint8Array,
  name: string,
  role: 'attachment' | 'picture',
): Promise<{ type: string; name: string }> {
  if (bytes.length === 0) throw new AppError('FILE_EMPTY')
  const type = await typeOf(bytes)
  const isPicture = pictureTypes.some((each) => each === type)
  if (role === 'picture' && !isPicture) throw new AppError('FILE_NO_PICTURE', { type })
  const allowed = type === undefined ? undefined : endings[type]
  if (type === undefined || allowed === undefined) throw new AppError('FILE_TYPE_REFUSED', { type })
  if (isPicture) requireSize(bytes, type)
  return { type, name: nameFor(name, allowed) }
}

async function typeOf(bytes: Uint8Array): Promise<string | undefined> {
  const found = (await fileTypeFromBuffer(bytes))?.mime
  if (found !== undefined && found !== 'application/xml') return found
  const text = textOf(bytes)
  if (text === undefined) return found
  return active.test(text) ? 'image/svg+xml or text/html' : 'text/plain'
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return binary.test(text) ? undefined : text
  } catch (error) {
    // Bytes that are no UTF-8 are no text.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function requireSize(bytes: Uint8Array, type: string): void {
  const size = pictureSize(bytes, type)
  const sideMax = fileLimits.pictureSideMaxPx
  if (size === undefined) throw new AppError('FILE_NO_PICTURE', { type })
  if (size.width > sideMax || size.height > sideMax)
    throw new AppError('FILE_PICTURE_TOO_LARGE', { ...size, sideMax })
}

/** Without folders and what cannot stand in a header; with an ending of the type. */
function nameFor(given: string, allowed: readonly string[]): string {
  const last = given.split(/[/\\]/).at(-1) ?? ''
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
