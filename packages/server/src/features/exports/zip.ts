import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'

/** A ZIP archive with one file, packed as the consumer takes it. */
export async function* zipOf(name: string, content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile()
  const source = Readable.from(content, { objectMode: false })
  // An error of the source ends the archive, not the process.
  source.on('error', (error) => (zip.outputStream as Readable).destroy(error))
  zip.addReadStream(source, name)
  zip.end()
  for await (const bytes of zip.outputStream as Readable) yield bytes as Buffer
}
