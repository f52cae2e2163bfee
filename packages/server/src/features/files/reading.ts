/** Looks at what a file is; runs in the reader process, because pictures and documents of users are hostile. */
import { fileTypeFromBuffer } from 'file-type'
import { pictureSize } from './picture.ts'
import type { Looked } from './task.ts'

/** What browsers would draw or run, were it ever shown in place. */
const active = /<(svg|html|script|body|iframe)[\s>/]|<!doctype html/i
/** Control characters that no text has, beside tab, line feed, form feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const binary = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/

/** One part: the type of the content, and of a picture its size. */
export default async function* read(bytes: Uint8Array): AsyncGenerator<Looked> {
  const type = await typeOf(bytes)
  const hasSize = type === 'image/png' || type === 'image/jpeg' || type === 'image/webp'
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
    // Bytes that are no UTF-8 are no text.
    if (error instanceof TypeError) return undefined
    throw error
  }
}
