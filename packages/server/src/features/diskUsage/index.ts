import { statfs } from 'node:fs/promises'
import { type DiskKind, type DiskUsage, diskKinds } from '@leitstand/contract/diskUsage'
import type { Context } from '../../platform/context.ts'
import { os } from '../../platform/http/implement.ts'
import { Mutex } from '../../platform/mutex.ts'
import { fullAt, growthAfterMs, growthPerDay } from './growth.ts'
import {
  type Measurement,
  readDatabaseBytes,
  readLargest,
  readNewest,
  readOldest,
  readTableSizes,
  storeMeasurement,
  type TableSize,
} from './store.ts'
import { measuredTables } from './tables.ts'

const queue = 'diskUsage.measure'
const everySixHours = '11 */6 * * *'
/** Growth is the average of as many days. */
const keptMs = 30 * 86_400_000
/** One that is so new is not repeated. */
const newMs = 60_000

/** Measures what takes how much space in the database, whose it is, and when the disk will be full. */
export function registerDiskUsage({ db, clock, config, jobs }: Context) {
  const turns = new Mutex()

  async function measure(): Promise<Measurement> {
    const measuredAt = clock.now()
    const sizes = await readTableSizes(db)
    const bytes = await readDatabaseBytes(db)
    const bySize = new Map(sizes.map((size) => [size.name, size]))
    const tables = measuredTables.flatMap((table) => {
      const size = bySize.get(table.name)
      return size ? [{ ...table, ...size }] : []
    })
    const measured = {
      measuredAt,
      bytes,
      kinds: kindsOf(sizes, bytes),
      largest: await readLargest(db, tables),
    }
    await storeMeasurement(db, measured, new Date(measuredAt.getTime() - keptMs))
    return measured
  }

  /** Growth and the date the disk is full change with every look. */
  async function shown(measured: Measurement): Promise<DiskUsage> {
    const before = await readOldest(db, new Date(measured.measuredAt.getTime() - growthAfterMs))
    const growth = before ? growthPerDay(before, measured) : null
    const disk = config.databaseUrl === undefined ? await diskOf(config.dataDir) : null
    const at = (kind: DiskKind, { measuredAt, kinds }: Measurement) => ({
      measuredAt,
      bytes: kinds[kind]?.bytes ?? 0,
    })
    const kinds = diskKinds.map((kind) => ({
      kind,
      ...(measured.kinds[kind] ?? { bytes: 0, rows: 0 }),
      growthPerDay: before ? growthPerDay(at(kind, before), at(kind, measured)) : null,
    }))
    return {
      measuredAt: measured.measuredAt.toISOString(),
      bytes: measured.bytes,
      kinds: kinds.toSorted((a, b) => b.bytes - a.bytes),
      growthPerDay: growth,
      disk,
      fullAt: (disk && fullAt(clock.now(), disk.freeBytes, growth)?.toISOString()) ?? null,
      ...measured.largest,
    }
  }

  jobs.work(queue, async () => void (await turns.run(measure)), { pollSeconds: 60 })
  jobs.schedule(queue, everySixHours)

  const routes = {
    diskUsage: {
      read: os.diskUsage.read.handler(async () => {
        const newest = await readNewest(db)
        return { usage: newest ? await shown(newest) : null }
      }),
      measure: os.diskUsage.measure.handler(async () => {
        const measured = await turns.run(async () => {
          const newest = await readNewest(db)
          const isNew = newest && clock.now().getTime() - newest.measuredAt.getTime() < newMs
          return isNew ? newest : measure()
        })
        return { usage: await shown(measured) }
      }),
    },
  }
  return { routes }
}

/** Bytes and rows by kind; what no kind has is other. */
function kindsOf(sizes: readonly TableSize[], bytes: number): Measurement['kinds'] {
  const kindOf = new Map(measuredTables.map(({ name, kind }) => [name, kind]))
  const kinds: Record<string, { bytes: number; rows: number }> = {}
  let known = 0
  for (const size of sizes) {
    const kind = kindOf.get(size.name) ?? 'other'
    const sum = kinds[kind] ?? { bytes: 0, rows: 0 }
    kinds[kind] = { bytes: sum.bytes + size.bytes, rows: sum.rows + size.rows }
    known += size.bytes
  }
  const other = kinds.other ?? { bytes: 0, rows: 0 }
  // Catalogue and queues are in no table of ours.
  return { ...kinds, other: { ...other, bytes: other.bytes + Math.max(0, bytes - known) } }
}

async function diskOf(folder: string): Promise<DiskUsage['disk']> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
