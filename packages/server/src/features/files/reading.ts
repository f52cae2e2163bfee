/** Detects the type of a file; runs in the reader process, because uploaded files may be hostile. */
import { fileTypeFromBuffer } from 'file-type'
import { pictureSize } from './picture.ts'
import type { Looked } from './task.ts'

/** Content browsers would render or execute if it were served inline. */
const active = /<(svg|html|script|body|iframe)[\s>/]|<!doctype html/i
/** Control characters that do not occur in text; excludes tab, line feed, form feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const binary = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/

const sized = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/** Yields one part: the type of the content, and the size of a picture. */
export default async function* read(bytes: Uint8Array): AsyncGenerator<Looked> {
  const type = await typeOf(bytes)
  const hasSize = type !== undefined && sized.includes(type)
  yield { type: type ?? null, size: (hasSize && pictureSize(bytes, type)) || null }
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
    // Bytes that are not UTF-8 are not text.
    if (error instanceof TypeError) return undefined
    throw error
  }
}
