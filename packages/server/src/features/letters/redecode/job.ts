import * as z from 'zod'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import {
  createStates,
  type DeviceRecord,
  type IngestFeature,
  Outdated,
  type PacketContent,
  type Redecoded,
  rewritePackets,
  type StoredPacket,
  Using,
} from '../../ingest/index.ts'
import { advance, type JobKind, type JobRecord } from '../../jobs/index.ts'
import {
  type Corrected,
  type RefusedValue,
  type SeriesFeature,
  Sweep,
  type ValueInput,
} from '../../series/index.ts'
import { isSame } from './compare.ts'
import {
  firstAggregate,
  nextPackets,
  noteAggregates,
  type Period,
  renewLastErrors,
  takeAggregate,
} from './store.ts'

interface Tools {
  ctx: Context
  series: SeriesFeature
  ingest: IngestFeature
}

export const redecodeLimits = {
  /** packets of one page */
  pageMax: 500,
  /** values of one page; packets of data loggers contain many */
  pageValuesMax: 20_000,
} as const

/** Parameters of a job; times as ISO text. */
const RedecodeParams = z.object({
  deviceIds: z.array(z.int()),
  from: z.string(),
  to: z.string(),
  errorsOnly: z.boolean(),
  using: Using,
})
export type RedecodeParams = z.infer<typeof RedecodeParams>

const Cursor = z.discriminatedUnion('phase', [
  z.object({
    phase: z.literal('packets'),
    device: z.int(),
    after: z.object({ receivedAt: z.string(), id: z.int() }).nullable(),
  }),
  z.object({ phase: z.literal('aggregates'), sweep: Sweep.nullable() }),
])
type Cursor = z.infer<typeof Cursor>

/**
 * Decodes stored packets again and corrects their values: first all packets, device by device, then the
 * affected aggregates of several sources. A page, its values and the progress are stored in one transaction.
 */
export function redecodeKind(tools: Tools): JobKind<RedecodeParams> {
  return {
    type: 'packets-decode',
    params: RedecodeParams,
    page: async (job, params) => {
      const cursor = Cursor.parse(job.cursor ?? { phase: 'packets', device: 0, after: null })
      return cursor.phase === 'packets'
        ? packetPage(tools, job, params, cursor)
        : aggregatePage(tools, job, cursor)
    },
  }
}

async function packetPage(
  tools: Tools,
  job: JobRecord,
  params: RedecodeParams,
  cursor: Extract<Cursor, { phase: 'packets' }>,
): Promise<boolean> {
  const { ctx, ingest } = tools
  const { packets, next } = await collect(ctx.db, params, cursor)
  if (packets.length === 0) {
    await ctx.db.transaction().execute((tx) => note(tx, job, { phase: 'aggregates', sweep: null }, 0, {}))
    return true
  }
  const redecoded = await ingest.decodeStored(packets, params.using)
  const { page, to } = bounded(packets, redecoded, next)
  let created: boolean
  try {
    created = await correctPage(tools, job, params, page, to)
  } catch (error) {
    if (!(error instanceof Outdated)) throw error
    // Live traffic has created the same states: look up again and repeat the page.
    ingest.forgetDevices()
    created = true
  }
  // The directory learns of new states by notification; wait for it before the next page.
  if (created) await ctx.configChanges.settle()
  return true
}

/** The next packets, across devices; `next` is the start of the following page. */
async function collect(
  db: Executor,
  { deviceIds, from, to, errorsOnly }: RedecodeParams,
  cursor: Extract<Cursor, { phase: 'packets' }>,
): Promise<{ packets: StoredPacket[]; next: Cursor }> {
  const period: Period = { from: new Date(from), to: new Date(to), errorsOnly }
  const packets: StoredPacket[] = []
  let { device, after } = cursor
  while (device < deviceIds.length && packets.length < redecodeLimits.pageMax) {
    const room = redecodeLimits.pageMax - packets.length
    const begin = after === null ? null : { receivedAt: new Date(after.receivedAt), id: after.id }
    const some = await nextPackets(db, deviceIds[device] as number, period, begin, room)
    packets.push(...some)
    const last = some.at(-1)
    if (some.length === room && last !== undefined) after = placeOf(last)
    else {
      device++
      after = null
    }
  }
  return { packets, next: { phase: 'packets', device, after } }
}

const placeOf = ({ receivedAt, id }: StoredPacket) => ({ receivedAt: receivedAt.toISOString(), id })

/** Shortens a page whose packets contain too many values. */
function bounded(packets: readonly StoredPacket[], redecoded: readonly Redecoded[], next: Cursor) {
  let values = 0
  const end = redecoded.findIndex(({ before, after }, index) => {
    for (const { variables } of [...(before?.measurements ?? []), ...after.measurements])
      values += Object.keys(variables).length
    return index > 0 && values > redecodeLimits.pageValuesMax
  })
  const last = end === -1 ? undefined : redecoded[end - 1]?.packet
  if (last === undefined) return { page: redecoded, to: { next, done: packets.length } }
  return { page: redecoded.slice(0, end), to: { next: last, done: packets.indexOf(last) + 1 } }
}

/** @returns whether states were created */
async function correctPage(
  { series }: Tools,
  job: JobRecord,
  { deviceIds }: RedecodeParams,
  page: readonly Redecoded[],
  to: { next: Cursor | StoredPacket; done: number },
): Promise<boolean> {
  const times = page.flatMap(({ after }) => after.measurements.map(({ time }) => time))
  const known = valuesOf(page, (device, variable) => device.states.get(variable))
  const { values, refused } = await series.transform(known.set)
  return series.corrections.correct(times, async (tx, apply) => {
    const created = await createStates(
      tx,
      page.map(({ device, after }) => ({ device, meaning: after })),
    )
    // States created here have no transformer yet.
    const fresh = valuesOf(page, ({ id, states }, variable) =>
      states.has(variable) ? undefined : created.get(`${id} ${variable}`),
    )
    const corrected = await apply({
      set: [...values, ...fresh.set],
      remove: [...known.remove, ...fresh.remove],
    })
    const errors = refusedErrors([...refused, ...corrected.refused])
    const rewritten = page.map((each): PacketContent => {
      const { packet, after } = each
      const { variables, driver, durationUs } = after
      return { packet, variables, error: errors.get(each) ?? after.error, driver, durationUs }
    })
    await rewritePackets(tx, rewritten)
    await renewLastErrors(tx, [...new Set(page.map(({ packet }) => packet.deviceId))])
    await noteAggregates(tx, job.id, corrected.aggregates)
    const next = 'phase' in to.next ? to.next : cursorAt(to.next, deviceIds)
    await note(tx, job, next, to.done, {
      decoded: page.length,
      changed: rewritten.filter((each) => !isSame(each)).length,
      errors: rewritten.filter(({ error }) => error !== null).length,
      gone: to.done - page.length,
      ...countsOf(corrected),
      valuesRefused: refused.length + corrected.refused.length,
    })
    return created.size > 0
  })
}

function cursorAt(last: StoredPacket, deviceIds: readonly number[]): Cursor {
  return { phase: 'packets', device: deviceIds.indexOf(last.deviceId), after: placeOf(last) }
}

/** The packet and variable of a value. */
interface Origin {
  each: Redecoded
  variable: string
}

/** Previous and new values of the device states from these packets. */
function valuesOf(
  page: readonly Redecoded[],
  stateOf: (device: DeviceRecord, variable: string) => number | undefined,
) {
  const set: ValueInput[] = []
  const remove: { stateId: number; time: Date }[] = []
  for (const each of page) {
    const { device, packet, before, after } = each
    // Without the old driver version, use the stored variables at the packet's time.
    const earlier = before?.measurements ?? [{ time: packet.time, variables: packet.variables ?? {} }]
    for (const { time, variables } of earlier) {
      for (const variable of Object.keys(variables)) {
        const stateId = stateOf(device, variable)
        if (stateId !== undefined) remove.push({ stateId, time })
      }
    }
    for (const { time, variables } of after.measurements) {
      for (const [variable, value] of Object.entries(variables)) {
        const stateId = stateOf(device, variable)
        if (stateId === undefined) continue
        const origin: Origin = { each, variable }
        set.push({ stateId, value, time, origin })
        remove.push({ stateId, time })
      }
    }
  }
  return { set, remove }
}

/** Refused values become errors of their packets, as in live traffic. */
function refusedErrors(refused: readonly RefusedValue[]): Map<Redecoded, PacketContent['error']> {
  return new Map(
    refused.flatMap(({ origin, code, message }) => {
      // Computed values have no origin; their packets are correct.
      if (origin === undefined) return []
      const { each, variable } = origin as Origin
      return [[each, { code, message: `${variable}: ${message}` }] as const]
    }),
  )
}

function countsOf({ added, changed, deleted, refused }: Corrected) {
  return {
    valuesAdded: added,
    valuesChanged: changed,
    valuesDeleted: deleted,
    valuesRefused: refused.length,
  }
}

async function aggregatePage(
  { ctx, series }: Tools,
  job: JobRecord,
  { sweep }: Extract<Cursor, { phase: 'aggregates' }>,
): Promise<boolean> {
  if (sweep === null) {
    const concerned = await firstAggregate(ctx.db, job.id)
    if (concerned === undefined) return false
    const begun = await series.corrections.beginSweep(concerned)
    await ctx.db.transaction().execute(async (tx) => {
      await takeAggregate(tx, job.id, concerned.stateId)
      await note(tx, job, { phase: 'aggregates', sweep: begun }, 0, { aggregates: begun === null ? 0 : 1 })
    })
    return true
  }
  await series.corrections.sweep(sweep, async (tx, corrected, next) => {
    await noteAggregates(tx, job.id, corrected.aggregates)
    await note(tx, job, { phase: 'aggregates', sweep: next }, 0, countsOf(corrected))
  })
  return true
}

function note(
  tx: Executor,
  job: JobRecord,
  cursor: Cursor,
  done: number,
  add: Record<string, number>,
): Promise<void> {
  return advance(tx, job, { cursor, done, add })
}
