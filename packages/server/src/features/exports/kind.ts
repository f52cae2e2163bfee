import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { JsonValue } from '@leitstand/contract/common'
import { exportLimits } from '@leitstand/contract/exports'
import type { JobType } from '@leitstand/contract/jobs/kinds'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { advance, type JobKind, type JobRecord, noteFile } from '../jobs/index.ts'
import { beginErrand, type PeopleFeature } from '../people/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { columnsOf, namedKeys } from './columns.ts'
import { formats, type Sheet } from './formats/index.ts'
import { sendReady } from './mail.ts'
import { groupsOf, readSome } from './page.ts'
import { ExportCursor, ExportParams } from './params.ts'
import { deletePieces, readPieces, storePiece } from './pieces.store.ts'
import { readerFor } from './rows/index.ts'
import { columnKeys, nextObjects, statesOf } from './selection.ts'
import { zipOf } from './zip.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** Devices or twins whose states are looked up at once. */
const objectsAtOnce = 64
/** States that are read at once in the beginning; it adapts to how many values they have. */
const widthAtFirst = 10
/** The place after all states of a device or twin. */
const lastState = Number.MAX_SAFE_INTEGER
/** Bytes of a part of a file. */
const partBytes = 1_000_000

interface Tools {
  ctx: Context
  callerOf: PeopleFeature['callerOf']
  series: Pick<SeriesFeature, 'valuesAfter' | 'lastBefore' | 'summaries'>
}

/**
 * The job that exports values: each page reads some rows and stores them with its place, so that a crash repeats a page at
 * most. Each page checks again what the caller may read. Once all rows are read, the file is built from them if the format or
 * the archive needs it; otherwise the rows are the file.
 */
export function exportKind(type: JobType, { ctx, callerOf, series }: Tools): JobKind<ExportParams> {
  const { db, clock } = ctx
  return {
    type,
    params: ExportParams,
    renew: (job, caller) => {
      const params = ExportParams.parse(job.params)
      return asJson({ ...params, errand: beginErrand(caller) })
    },
    page: async (job, params) => {
      const caller = await callerOf(params.errand)
      const format = formats[params.format]
      const cursor = await cursorOf(job, params, caller)
      const sheet: Sheet = { columns: columnsOf(params, cursor.keys), params }
      const now = clock.now()
      // It contains all that was stored when it began, wherever it is read.
      const reader = `export.${job.id}`
      if (job.cursor === null) await ctx.reads.noteWrite(reader)
      const { objects, read } = await ctx.reads.run(reader, async () => {
        const objects = await nextObjects(db, caller, params.selection, {
          now,
          from: cursor.at?.objectId ?? 0,
          limit: objectsAtOnce,
        })
        const wanted = isWide(params) ? (namedKeys(params) ?? cursor.keys) : params.stateKeys
        const states = await statesOf(
          db,
          caller,
          objects.map(({ id }) => id),
          wanted,
        )
        const all = groupsOf(objects, states, params.formatting.layout)
        const room = Math.min(params.rowsMax, format.rowsMax) - cursor.rows
        const read = await readSome(readerFor(params, series), params, all, { ...cursor, room }, (rows) =>
          format.lines(rows, sheet),
        )
        return { objects, read }
      })
      const isLast = read.cut || (read.isAll && objects.length < objectsAtOnce)
      const text =
        (cursor.pieces === 0 ? format.head(sheet) : '') +
        read.text +
        (read.cut ? format.cut(cursor.rows + read.rows, sheet) : '')
      const content = text === '' ? null : await pack(text, { level: 4 })
      // Devices without any of the states have no group, and are done with the last of the page.
      const lastId = objects.at(-1)?.id
      const at =
        read.isAll && lastId !== undefined ? { objectId: lastId, stateId: lastState, upToMs: null } : read.at
      const next: ExportCursor = {
        at,
        width: read.width,
        pieces: cursor.pieces + (content ? 1 : 0),
        rows: cursor.rows + read.rows,
        bytes: cursor.bytes + Buffer.byteLength(text),
        keys: cursor.keys,
        cut: read.cut,
      }
      await db.transaction().execute(async (tx) => {
        if (content) await storePiece(tx, job.id, { kind: 'rows', number: cursor.pieces, content })
        const done = isLast ? Math.max(0, job.total - job.done) : doneBetween(objects, cursor.at, at)
        await advance(tx, job, { cursor: asJson(next), done, add: { rows: read.rows } })
      })
      return !isLast
    },
    finish: async (job, params, run) => {
      const cursor = ExportCursor.parse(job.cursor)
      const format = formats[params.format]
      const sheet: Sheet = { columns: columnsOf(params, cursor.keys), params }
      const fileName = `${params.name}.${format.ending}`
      const packed = params.zip && params.format !== 'xlsx'
      const size =
        format.build || packed
          ? await store(job, contentOf(job.id, params, sheet, fileName), run)
          : cursor.bytes
      if (size === null) return
      await db.transaction().execute(async (tx) => {
        const file = {
          name: packed ? `${params.name}.zip` : fileName,
          format: params.format,
          size,
          rows: cursor.rows,
          cut: cursor.cut,
          deletedAt: keptUntil(clock.now()).toISOString(),
        }
        // Cancelled meanwhile.
        if (!(await noteFile(tx, job.id, file))) return
        if (format.build || packed) await deletePieces(tx, job.id, 'rows')
        if (params.notify) await sendReady(ctx, tx, job, file, params.formatting.language)
      })
    },
  }

  /** The place of the job; before its first page, with the columns there will be. */
  async function cursorOf(job: JobRecord, params: ExportParams, caller: Caller): Promise<ExportCursor> {
    if (job.cursor !== null) return ExportCursor.parse(job.cursor)
    const none = { at: null, width: widthAtFirst, pieces: 0, rows: 0, bytes: 0, keys: [], cut: false }
    if (!isWide(params)) return none
    const named = namedKeys(params)
    if (named) return { ...none, keys: named }
    return { ...none, keys: await columnKeys(db, caller, params, clock.now()) }
  }

  /** The file, made of the stored rows. */
  async function* contentOf(
    jobId: number,
    params: ExportParams,
    sheet: Sheet,
    fileName: string,
  ): AsyncGenerator<Uint8Array> {
    const format = formats[params.format]
    const made = format.build ? format.build(textsOf(jobId), sheet) : bytesOf(jobId)
    yield* params.zip && params.format !== 'xlsx' ? zipOf(fileName, made) : made
  }

  async function* bytesOf(jobId: number): AsyncGenerator<Uint8Array> {
    for await (const piece of readPieces(db, jobId, 'rows')) yield await unpack(piece)
  }

  async function* textsOf(jobId: number): AsyncGenerator<string> {
    for await (const bytes of bytesOf(jobId)) yield Buffer.from(bytes).toString()
  }

  /** Stores a file in parts. @returns its size in bytes; null: the job was stopped meanwhile */
  async function store(
    job: JobRecord,
    content: AsyncIterable<Uint8Array>,
    run: { signal: AbortSignal; isCancelled(): Promise<boolean> },
  ): Promise<number | null> {
    await deletePieces(db, job.id, 'file')
    let number = 0
    let size = 0
    let waiting: Uint8Array[] = []
    let bytes = 0
    const keep = async () => {
      await storePiece(db, job.id, { kind: 'file', number: number++, content: Buffer.concat(waiting) })
      size += bytes
      waiting = []
      bytes = 0
    }
    for await (const each of content) {
      waiting.push(each)
      bytes += each.length
      if (bytes < partBytes) continue
      if (run.signal.aborted || (await run.isCancelled())) return null
      await keep()
    }
    if (bytes > 0) await keep()
    return size
  }
}

const isWide = ({ formatting }: ExportParams) => formatting.layout === 'wide'

/** Devices or twins that are done at one place and were not at another. */
function doneBetween(
  objects: readonly { id: number }[],
  from: ExportCursor['at'],
  to: ExportCursor['at'],
): number {
  const isDone = (id: number, at: ExportCursor['at']) =>
    at !== null && (id < at.objectId || (id === at.objectId && at.stateId === lastState))
  return objects.filter(({ id }) => isDone(id, to) && !isDone(id, from)).length
}

/** When the file of an export is deleted. */
export function keptUntil(now: Date): Date {
  const until = new Date(now)
  until.setUTCMonth(until.getUTCMonth() + exportLimits.keptMonths)
  return until
}

/** What is stored with a job. */
export function asJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue
}
