import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { importLimits } from '@leitstand/contract/driverImport'
import { extract } from 'tar-stream'
import { AppError, messageOf } from '../../../platform/errors.ts'
import { ZipError, zipEntries } from '../../../platform/reader/zip.ts'

/** Path in the archive → text of a description, a script or a list of examples. */
export type Files = ReadonlyMap<string, string>

/** Everything else in a device repository, such as pictures, is not even unpacked. */
const wanted = /(\.ya?ml|\.toml|\.js|\.json)$/i
const leftovers = /(^|\/)(__MACOSX|node_modules|\.git)\//

const unpackGzip = promisify(gunzip)

/**
 * The texts of a ZIP or tar.gz archive. Runs in the reader process.
 * @throws AppError IMPORT_ARCHIVE_UNREADABLE, IMPORT_ARCHIVE_TOO_LARGE
 */
export async function readArchive(bytes: Uint8Array): Promise<Files> {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  if (!isZip && !isGzip) throw unreadable('neither ZIP nor tar.gz')
  const files = new Map<string, string>()
  const budget = new Budget()
  try {
    if (isZip) readZip(bytes, files, budget)
    else await readTar(bytes, files, budget)
  } catch (error) {
    if (error instanceof AppError) throw error
    if (error instanceof RangeError || (error instanceof ZipError && error.isTooLarge)) throw tooLarge()
    throw unreadable(messageOf(error))
  }
  return files
}

/** How much may still be unpacked. */
class Budget {
  #entries = 0
  #bytes = 0

  /** Whether a file is to be read. @throws AppError IMPORT_ARCHIVE_TOO_LARGE */
  takes(path: string, size: number): boolean {
    this.#entries += 1
    if (this.#entries > importLimits.entriesMax) throw tooLarge()
    if (!wanted.test(path) || leftovers.test(path) || size > importLimits.fileBytesMax) return false
    this.#bytes += size
    if (this.#bytes > importLimits.unpackedBytesMax) throw tooLarge()
    return true
  }
}

function readZip(bytes: Uint8Array, files: Map<string, string>, budget: Budget): void {
  const entries = zipEntries(bytes, importLimits.entriesMax)
  // All are counted before the first is unpacked.
  const taken = entries.filter(({ name, size }) => budget.takes(name, size))
  for (const { name, read } of taken) files.set(name, textOf(read()))
}

async function readTar(bytes: Uint8Array, files: Map<string, string>, budget: Budget): Promise<void> {
  const archive = await unpackGzip(bytes, { maxOutputLength: importLimits.unpackedBytesMax })
  const entries = extract()
  entries.end(archive)
  for await (const entry of entries) {
    const { name, type, size = 0 } = entry.header
    if (type !== 'file' || !budget.takes(name, size)) {
      entry.resume()
      continue
    }
    const chunks: Uint8Array[] = []
    for await (const chunk of entry) chunks.push(chunk as Uint8Array)
    files.set(name.replace(/^\.\//, ''), textOf(Buffer.concat(chunks)))
  }
}

function textOf(content: Uint8Array): string {
  return new TextDecoder().decode(content)
}

function unreadable(reason: string): AppError {
  return new AppError('IMPORT_ARCHIVE_UNREADABLE', undefined, `The archive cannot be read: ${reason}`)
}

function tooLarge(): AppError {
  const bytesMax = importLimits.unpackedBytesMax
  return new AppError('IMPORT_ARCHIVE_TOO_LARGE', { bytesMax })
}
