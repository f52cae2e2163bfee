import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ExportFormat } from '@leitstand/contract/exports'
import type { JobFile } from '@leitstand/contract/jobs'
import type { Executor } from '../../platform/db/index.ts'
import { formats } from './formats/index.ts'
import { hasOwnFile, readPieces } from './pieces.store.ts'

const unpack = promisify(gunzip)

/** A file that an export has made. */
export interface MadeFile {
  name: string
  /** media type */
  type: string
  /** bytes */
  size: number
  rows: number
  /** Reads it from the beginning. @throws when it was deleted meanwhile, so that nobody takes a part for the whole */
  content(): AsyncGenerator<Uint8Array>
}

/** The file of an export job. */
export function madeFile(db: Executor, jobId: number, { name, format, size, rows }: JobFile): MadeFile {
  const type = name.endsWith('.zip') ? 'application/zip' : typeOf(format)
  return { name, type, size, rows, content: () => contentOf(db, jobId, size) }
}

/** @param format an `ExportFormat`, or `pdf` */
const typeOf = (format: string): string =>
  format === 'pdf' ? 'application/pdf' : formats[format as ExportFormat].type

async function* contentOf(db: Executor, jobId: number, size: number): AsyncGenerator<Uint8Array> {
  const isMade = await hasOwnFile(db, jobId)
  let sent = 0
  for await (const piece of readPieces(db, jobId, isMade ? 'file' : 'rows')) {
    const bytes = isMade ? piece : await unpack(piece)
    sent += bytes.length
    yield bytes
  }
  if (sent !== size) throw new Error('the file of an export was deleted while it was downloaded')
}
