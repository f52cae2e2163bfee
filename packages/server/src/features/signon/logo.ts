import { fileTypeFromBuffer } from 'file-type'

/** The media type of a file by its first bytes; null when unknown. */
export async function readFileType(bytes: Uint8Array): Promise<string | null> {
  return (await fileTypeFromBuffer(bytes))?.mime ?? null
}
