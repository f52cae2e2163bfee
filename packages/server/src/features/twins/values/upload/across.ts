import type { BackgroundJob } from '@leitstand/contract/jobs'
import { valueUploadLimits } from '@leitstand/contract/stateValues'
import { AppError } from '../../../../platform/errors.ts'
import type { Caller } from '../../../../platform/http/caller.ts'
import { timeZoneOf } from '../../../accounts/index.ts'
import { recordActivities } from '../../../activity/index.ts'
import { titleFor } from '../../../drivers/index.ts'
import { bothScopes, type Category } from '../../policy.ts'
import { isAggregate } from '../../sources/index.ts'
import { begin, type ValueTools } from '../pages.ts'
import {
  findNamed,
  findNamedStates,
  isInAccount,
  type NamedState,
  withUpload,
  writableScopes,
} from '../store.ts'
import { chooseTwins, type NamedTwin, pathIn } from './targets.ts'
import { type AcrossPart, acrossTask, type PartValues, type Target } from './task.ts'
import { type Read, summaryOf, uploadBounds, uploading } from './upload.ts'

interface Upload {
  file: File
  accountId: number
  dryRun: boolean
}

/** Twins that the titles of a file may match. */
const namedMax = 20_000

/** A state of the file, and the twin or device it belongs to. */
interface Owned {
  state: NamedState
  twin: NamedTwin
}

/**
 * Reads a file of values across the twins and devices of an account, and stores them.
 * @throws AppError TENANT_NOT_FOUND, DTWIN_NOT_FOUND, DTWIN_STATE_CONVERTING, VALUE_UPLOAD_TOO_LARGE, and those of `acrossTask`
 */
export async function uploadAcross(tools: ValueTools, caller: Caller, upload: Upload) {
  const { db, clock, reader } = tools.ctx
  const { accountId } = upload
  await requireOwn(tools, caller, accountId)
  const bytes = new Uint8Array(await upload.file.arrayBuffer())
  const input = { zone: await timeZoneOf(db, accountId), bounds: uploadBounds(clock.now()) }
  const read = (targets: readonly Target[] | null) =>
    reader.read(acrossTask, { bytes, accountId, input: { ...input, targets } })
  const pairs = (await read(null)).flatMap((part) => ('pairs' in part ? part.pairs : []))
  const { targets, owned } = await resolve(tools, caller, accountId, pairs)
  const found = summaryOf((await read(targets)).filter(isValues))
  if ([...found.byState.keys()].some((id) => !owned.has(id))) throw new AppError('INTERNAL_ERROR')
  const jobs = upload.dryRun ? [] : await storeAll(tools, caller, upload, { found, owned })
  const { byState, parts: _, ...summary } = found
  const states = [...byState].map(([stateId, span]) => {
    const { state, twin } = owned.get(stateId) as Owned
    return { stateId, title: titleFor(caller, state), twinId: twin.id, twinTitle: twin.title, ...span }
  })
  return {
    ...summary,
    twins: new Set(states.map(({ twinId }) => twinId)).size,
    states: states.slice(0, valueUploadLimits.statesMax),
    statesTotal: states.length,
    jobs,
  }
}

const isValues = (part: AcrossPart): part is Exclude<AcrossPart, { pairs: unknown }> => !('pairs' in part)

async function requireOwn({ ctx }: ValueTools, caller: Caller, accountId: number): Promise<void> {
  const { digitalTwin, virtualDevice } = bothScopes(caller, 'write')
  if (await isInAccount(ctx.db, accountId, [...digitalTwin, ...virtualDevice])) return
  throw new AppError('TENANT_NOT_FOUND', { id: accountId })
}

/** Finds what the file names, as far as the caller may see it; only what the caller may change can be used. */
async function resolve(
  { ctx }: ValueTools,
  caller: Caller,
  accountId: number,
  pairs: readonly (readonly [twin: string, state: string])[],
): Promise<{ targets: Target[]; owned: Map<number, Owned> }> {
  const cells = [...new Set(pairs.map(([twin]) => twin))]
  const asked = {
    ids: cells.filter((cell) => /^[1-9]\d{0,8}$/.test(cell)).map(Number),
    titles: [...new Set(cells.flatMap((cell) => [cell.toLowerCase(), pathIn(cell)[0] ?? '']))],
  }
  const scopes = bothScopes(caller, 'read')
  const named = await findNamed(ctx.db, { accountId, scopes }, asked, namedMax + 1)
  if (named.length > namedMax) throw tooManyTwins()
  const writable = bothScopes(caller, 'write')
  const twinOf = await chooseTwins(named, cells, ({ category, scopeId }) =>
    writable[category].includes(scopeId),
  )
  const wanted = pairs.flatMap(([cell, name], place) => {
    const twin = twinOf.get(cell)
    return typeof twin === 'object' ? [{ place, twin, twinId: twin.id, name }] : []
  })
  if (new Set(wanted.map(({ twinId }) => twinId)).size > valueUploadLimits.twinsMax) throw tooManyTwins()
  const states = (await findNamedStates(ctx.db, wanted)).filter(({ source }) => !isAggregate(source))
  const stateAt = new Map(states.map((state) => [wanted[state.place]?.place, state]))
  const targets = pairs.map(([cell, name], place): Target => {
    const twin = twinOf.get(cell)
    if (typeof twin === 'string') return [cell, name, twin]
    const state = stateAt.get(place)
    if (state === undefined) return [cell, name, 'STATE_UNKNOWN']
    const { id, key, title, unit, valueType } = state
    return [cell, name, { id, key, title, unit, valueType }]
  })
  const owned = states.flatMap((state): [number, Owned][] => {
    const twin = wanted[state.place]?.twin
    return twin ? [[state.id, { state, twin }]] : []
  })
  return { targets, owned: new Map(owned) }
}

function tooManyTwins(): AppError {
  const { twinsMax, targetsMax } = valueUploadLimits
  return new AppError('VALUE_UPLOAD_TOO_LARGE', { twinsMax, targetsMax })
}

interface Found {
  found: Read
  owned: ReadonlyMap<number, Owned>
}

/** Twins and devices separately, because a job needs the rights on what it changes. */
async function storeAll(
  tools: ValueTools,
  caller: Caller,
  upload: Upload,
  all: Found,
): Promise<BackgroundJob[]> {
  const jobs: BackgroundJob[] = []
  for (const category of ['digitalTwin', 'virtualDevice'] as const) {
    const parts = all.found.parts
      .map((part) => part.filter(([stateId]) => all.owned.get(stateId)?.twin.category === category))
      .filter(({ length }) => length > 0)
    if (parts.length === 0) continue
    const job = await store(tools, caller, { ...upload, category }, { ...all, parts })
    if (job) jobs.push(job)
  }
  return jobs
}

async function store(
  tools: ValueTools,
  caller: Caller,
  { file, accountId, category }: Upload & { category: Category },
  { parts, owned }: Found & { parts: readonly PartValues[] },
): Promise<BackgroundJob | null> {
  const { db, clock } = tools.ctx
  const fileName = file.name.slice(0, 200).toWellFormed()
  const counts = countsByTwin(parts, owned)
  const twinIds = [...counts.keys()]
  const [firstId] = twinIds as [number]
  const { job } = await withUpload(db, parts, clock.now(), (uploadId) =>
    begin(tools, caller, uploading, {
      params: { uploadId },
      total: parts.reduce((sum, { length }) => sum + length, 0),
      first: async (tx) => {
        const scopes = bothScopes(caller, 'write')
        const places = await writableScopes(tx, scopes, twinIds)
        const [place] = places
        if (place === undefined || places.length < twinIds.length)
          throw new AppError('DTWIN_NOT_FOUND', {
            ids: twinIds.filter((id) => !places.some((each) => each.id === id)),
          })
        const scopeIds = [...new Set(places.map(({ scopeId }) => scopeId))]
        const several = { twinIds, scopeIds }
        return { twinId: firstId, twinTitle: fileName, category, accountId, scopeId: place.scopeId, several }
      },
      record: (tx) =>
        recordActivities(
          tx,
          caller,
          [...counts].map(([objectId, { title, values, states }]) => ({
            action: 'uploadValues',
            subject: category === 'digitalTwin' ? 'DigitalTwin' : 'VirtualDevice',
            objectId,
            objectTitle: title,
            accountId,
            changes: { file: fileName, values, states: states.size },
            isChange: false as const,
          })),
        ),
    }),
  )
  return job
}

function countsByTwin(parts: readonly PartValues[], owned: ReadonlyMap<number, Owned>) {
  const counts = new Map<number, { title: string; values: number; states: Set<number> }>()
  for (const part of parts)
    for (const [stateId] of part) {
      const twin = owned.get(stateId)?.twin
      if (!twin) continue
      const of = counts.get(twin.id) ?? { title: twin.title, values: 0, states: new Set() }
      of.values += 1
      of.states.add(stateId)
      counts.set(twin.id, of)
    }
  return counts
}
