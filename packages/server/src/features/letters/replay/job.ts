import { DeadLetterSelection } from '@leitstand/contract/letters'
import * as z from 'zod'
import type { Context } from '../../../platform/context.ts'
import {
  foreignMessage,
  packetsOf,
  type Reading,
  readConnectors,
  readingOf,
  type Translation,
  translate,
} from '../../connectors/index.ts'
import type { IngestFeature, Outcome } from '../../ingest/index.ts'
import { advance, type JobKind, type JobRecord } from '../../jobs/index.ts'
import {
  findStored,
  type LetterRow,
  nextLetters,
  noteFailures,
  removeLetters,
  splitLetters,
} from '../store.ts'
import { judge, keyedFor, type Replayed, stageOf, withoutPackets } from './replay.ts'

export const replayLimits = {
  /** letters of one page */
  pageMax: 500,
  /** a page ends earlier when its bodies exceed this size */
  pageBytesMax: 16 * 1_048_576,
  /** letters processed at a time; leaves room for live traffic */
  windowMax: 100,
  /** the pipeline remembers packet keys for two days; older ones are looked up in the stored packets */
  rememberedMs: 24 * 3_600_000,
  /** a packet may have been delivered this long before its letter */
  earlierMs: 2 * 24 * 3_600_000,
} as const

/** Parameters of a job. `untilId` is the newest letter at the time of the request. */
const ReplayParams = z.object({
  connectorId: z.int(),
  selection: DeadLetterSelection,
  untilId: z.int(),
})
export type ReplayParams = z.infer<typeof ReplayParams>

const Cursor = z.object({ afterId: z.int() })

interface Source {
  connector: { id: number; accountId: number }
  reading: Reading
}

/**
 * Replays dead letters, oldest first, exactly once: packets carry deduplication keys, so repeating a page
 * after a crash stores nothing twice, and letters are deleted in the transaction that records the page.
 */
export function replayKind(ctx: Context, ingest: IngestFeature): JobKind<ReplayParams> {
  return {
    type: 'dead-letters-replay',
    params: ReplayParams,
    page: async (job, { connectorId, selection, untilId }) => {
      const [row] = await readConnectors(ctx.db, [connectorId])
      // The connector was deleted together with its letters.
      if (row === undefined) return false
      const afterId = job.cursor === null ? 0 : Cursor.parse(job.cursor).afterId
      const filter = { ...filterOf(selection), untilId }
      const { pageMax, pageBytesMax, windowMax } = replayLimits
      const letters = await nextLetters(ctx.db, connectorId, filter, afterId, pageMax, pageBytesMax)
      const last = letters.at(-1)
      if (last === undefined) return false
      const source: Source = { connector: { id: row.id, accountId: row.accountId }, reading: readingOf(row) }
      const replayed: Replayed[] = []
      for (let at = 0; at < letters.length; at += windowMax) {
        if (!ingest.hasRoom(source.connector)) await ingest.room(source.connector)
        const window = letters.slice(at, at + windowMax)
        replayed.push(...(await settled(window.map((letter) => replayLetter(ctx, ingest, source, letter)))))
      }
      await note(ctx, job, replayed, last.id)
      return true
    },
  }
}

export function filterOf(selection: DeadLetterSelection) {
  return 'ids' in selection ? { ids: selection.ids } : selection.filter
}

async function replayLetter(
  ctx: Context,
  ingest: IngestFeature,
  { connector, reading }: Source,
  letter: LetterRow,
): Promise<Replayed> {
  const { id, identifier, reason, detail, meta, receivedAt } = letter
  if (meta.cut) {
    const failure = { id, identifier, reason: reason as 'PACKET_TOO_LARGE', detail }
    return { letter, count: 'failed', failure }
  }
  const message = foreignMessage(letter.body, {
    ...(meta.topic === undefined ? {} : { topic: meta.topic }),
    ...(meta.query === undefined ? {} : { query: meta.query }),
  })
  const translation: Translation =
    message.json !== undefined && stageOf(letter, message.json) === 'packet'
      ? packetsOf([message.json], message)
      : await translate(ctx.scripts, reading, message)
  if (translation.packets.length === 0) return withoutPackets(letter, message, translation)

  const keyed = keyedFor(letter, translation.packets)
  const open = await unknownYet(ctx, connector.id, letter, keyed)
  const outcome: Omit<Outcome, 'durationUs'> =
    open.length === 0
      ? { accepted: 0, duplicates: 0, rejected: [], decoded: [] }
      : await ingest.submit({
          connector,
          packets: open.map(({ packet }) => packet),
          dedupKeys: open.map(({ dedupKey }) => dedupKey),
          raw: letter.body,
          receivedAt,
          isReplay: true,
        })
  const rejected = outcome.rejected.map((each) => ({ ...each, index: open[each.index]?.index ?? each.index }))
  return judge(letter, translation, reading.preset, { ...outcome, rejected }, keyed.length - open.length)
}

/** Leaves out packets of old letters that are already stored, from another delivery that succeeded. */
async function unknownYet(
  ctx: Context,
  connectorId: number,
  { receivedAt }: LetterRow,
  keyed: ReturnType<typeof keyedFor>,
): Promise<ReturnType<typeof keyedFor>> {
  if (ctx.clock.now().getTime() - receivedAt.getTime() < replayLimits.rememberedMs) return keyed
  const asked = keyed.flatMap(({ identity: { stored }, index }) =>
    stored === null ? [] : [{ ...stored, index }],
  )
  const since = new Date(receivedAt.getTime() - replayLimits.earlierMs)
  const found = await findStored(
    ctx.db,
    connectorId,
    asked.map((each) => ({ ...each, since })),
  )
  const known = new Set(asked.flatMap(({ index }, at) => (found[at] ? [index] : [])))
  return keyed.filter(({ index }) => !known.has(index))
}

/**
 * Deletes usable letters, updates the reasons of the others and records the job's progress, in one
 * transaction.
 */
async function note(
  ctx: Context,
  job: JobRecord,
  replayed: readonly Replayed[],
  afterId: number,
): Promise<void> {
  const add: Record<string, number> = {}
  const count = (key: string) => {
    add[key] = (add[key] ?? 0) + 1
  }
  for (const each of replayed) {
    count(each.count)
    if ('withErrors' in each && each.withErrors) count('withErrors')
    if ('failure' in each) count(`failed:${each.failure.reason}`)
    else if ('parts' in each && each.count === 'failed') count(`failed:${each.parts[0]?.reason}`)
  }
  const now = ctx.clock.now()
  const used = replayed.filter((each) => !('failure' in each) && !('parts' in each))
  await ctx.db.transaction().execute(async (tx) => {
    await advance(tx, job, { cursor: { afterId }, done: replayed.length, add })
    await removeLetters(
      tx,
      used.map(({ letter }) => letter.id),
    )
    await noteFailures(
      tx,
      replayed.flatMap((each) => ('failure' in each ? [clean(each.failure)] : [])),
      now,
    )
    await splitLetters(
      tx,
      replayed.flatMap((each) => ('parts' in each ? each.parts.map(clean) : [])),
      now,
    )
  })
}

/** PostgreSQL text cannot contain NUL. */
function clean<T extends { identifier: string | null; detail: string; body?: string }>(letter: T): T {
  const text = (value: string) => value.replaceAll('\u0000', '\ufffd').toWellFormed()
  return {
    ...letter,
    identifier: letter.identifier === null ? null : text(letter.identifier),
    detail: text(letter.detail),
    ...(letter.body === undefined ? {} : { body: text(letter.body) }),
  }
}

/** All results, or the first error once every promise has settled: the whole page is repeated. */
async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const ended = await Promise.allSettled(promises)
  return ended.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}
