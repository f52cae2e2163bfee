import { fileTypeFromBuffer } from 'file-type'

/** The media type of a file by its first bytes; null when it is none that is known. */
export async function readFileType(bytes: Uint8Array): Promise<string | null> {
  return (await fileTypeFromBuffer(bytes))?.mime ?? null
}
