import { isDeepStrictEqual } from 'node:util'
import type { Driver, GoldenPacket } from '@leitstand/contract/drivers'
import { lookAlikes, variableNames } from '@leitstand/contract/parsers'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { countReferences } from '../objects/index.ts'
import { checkParser } from './check.ts'
import { checkGolden, type GoldenMismatch } from './golden.ts'
import { requireExpressions } from './health/check.ts'
import { type TakeOver, takeOverIfAsked } from './health/store.ts'
import { kindOf } from './parsers/index.ts'
import { type ParserSecret, sealBearer } from './parsers/url/bearer.ts'
import {
  deviceScopes,
  deviceWriteScopes,
  manageScopes,
  requireManage,
  requireSystem,
  viewerOf,
} from './policy.ts'
import type { ParserTools } from './run.ts'
import { findUsable } from './sight.store.ts'
import {
  type DriverMeta,
  type DriverRow,
  deleteDriver as deleteDriverRow,
  findDriver,
  insertDriver,
  insertVersion,
  isDelivered,
  listDevicesOf,
  listVersions,
  lockDriver,
  publishVersion,
  setParserSecret,
  updateDriver as updateDriverRow,
  type VersionContent,
} from './store.ts'

/** The platform context with the parser tools. */
export interface DriverContext extends Context {
  parsers: ParserTools
}

export interface DriverInput extends DriverMeta, VersionContent {
  /** token for a parser with a URL; absent: unchanged, null: none */
  parserSecret?: string | null | undefined
  note: string
  publish: boolean
  /** accept variable names that differ only by case */
  acceptAlike: boolean
}

/** Loads a visible driver. @throws AppError DEVICEDRIVER_NOT_FOUND, also for a version that does not exist */
export async function requireDriver(
  db: Executor,
  caller: Caller,
  id: number,
  number?: number | undefined,
): Promise<DriverRow> {
  const row = await findDriver(db, viewerOf(caller), deviceScopes(caller), id, number)
  if (!row) throw new AppError('DEVICEDRIVER_NOT_FOUND', { id, ...(number === undefined ? {} : { number }) })
  return row
}

/** Drivers that import rows can reference; `title` is in lower case. */
export function findUsableDrivers(
  db: Executor,
  caller: Caller,
  accountId: number,
  names: readonly string[],
): Promise<{ id: number; title: string }[]> {
  return findUsable(db, viewerOf(caller), accountId, names)
}

/** Whether devices of an account can use a visible driver, in this version if given. */
export async function canUseDriver(
  db: Executor,
  caller: Caller,
  accountId: number,
  id: number,
  number: number | null,
): Promise<boolean> {
  const usable = await findUsable(db, viewerOf(caller), accountId, [String(id)])
  if (!usable.some((driver) => driver.id === id)) return false
  return (await findDriver(db, viewerOf(caller), [], id, number ?? undefined)) !== undefined
}

/** A driver with its versions and one of them in full, by default the latest. */
export async function getDriver(
  db: Executor,
  caller: Caller,
  id: number,
  number?: number | undefined,
): Promise<Driver> {
  const { scopeId, libraryKey: _, parserSecret, ...driver } = await requireDriver(db, caller, id, number)
  const hasParserSecret = parserSecret !== null
  return {
    ...driver,
    hasParserSecret,
    versions: await listVersions(db, viewerOf(caller), id),
    editable: manageScopes(caller).includes(scopeId),
  }
}

/**
 * Creates a driver with its first version, published if requested. @returns its id
 * @throws AppError TENANT_NOT_FOUND, DEVICEDRIVER_ALIKE_VARIABLES, and errors of its parser or golden packets
 */
export async function createDriver(
  ctx: DriverContext,
  caller: Caller,
  accountId: number,
  input: DriverInput,
): Promise<number> {
  requireUnlike(input)
  if (input.visibility === 'everyone') requireSystem(caller)
  await checkContent(ctx, accountId, input, false, { entered: input.parserSecret })
  return ctx.db.transaction().execute(async (tx) => {
    const { scopeId } = await requireAccount(tx, accountId, manageScopes(caller))
    const now = ctx.clock.now()
    const id = await insertDriver(tx, { accountId, scopeId, libraryKey: null }, input, now)
    const number = await insertVersion(tx, id, input, { note: input.note, createdBy: caller.name, now })
    await storeSecret(ctx, tx, id, input)
    if (input.publish) await publishVersion(tx, id, number, now)
    await recordActivity(tx, caller, about('create', { id, title: input.title, accountId }))
    return id
  })
}

/**
 * Updates a driver. Only changes of parser, calculated variables, script, variables, golden packets, health
 * configuration or downlinks create a new version.
 * @returns the number of the new version, or of the one that was edited
 */
export async function updateDriver(
  ctx: DriverContext,
  caller: Caller,
  input: DriverInput & { id: number; number?: number | undefined; version: number; acceptGolden: boolean },
): Promise<number> {
  const before = await driverForChange(ctx.db, caller, input.id, input)
  if (!isDeepStrictEqual(variableNames(input), variableNames(before))) requireUnlike(input)
  const token = { driverId: before.id, entered: input.parserSecret, stored: before.parserSecret }
  if (input.visibility === 'everyone' && before.visibility !== 'everyone') requireSystem(caller)
  const golden = await checkContent(ctx, before.accountId, input, input.acceptGolden, token)
  const content = { ...contentOf(input), golden }
  return ctx.db.transaction().execute(async (tx) => {
    await lockDriver(tx, input.id)
    const row = await driverForChange(tx, caller, input.id, input)
    const now = ctx.clock.now()
    await updateDriverRow(tx, row.id, input, now)
    await storeSecret(ctx, tx, row.id, input)
    const changed = !isDeepStrictEqual(content, contentOf(row))
    // Delivered drivers run in all accounts without acceptance.
    if (changed && row.delivered) requireSystem(caller)
    const number = changed
      ? await insertVersion(tx, row.id, content, { note: input.note, createdBy: caller.name, now })
      : null
    if (number !== null && input.publish) {
      await publishVersion(tx, row.id, number, now)
      await takeOverIfAsked(tx, row.id, number, takeOverBy(caller, row))
    }
    await recordActivity(tx, caller, {
      ...about('update', { ...row, title: input.title }),
      changes: {
        ...metaChanges(row, input),
        ...(number === null ? {} : { number, published: input.publish }),
        ...(input.parserSecret === undefined
          ? {}
          : { parserSecret: input.parserSecret === null ? 'removed' : 'set' }),
      },
    })
    return number ?? row.number
  })
}

/** Publishes any version, which live traffic then uses. */
export async function publishDriver(ctx: Context, caller: Caller, id: number, number: number): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockDriver(tx, id)
    const row = await driverForChange(tx, caller, id)
    if (row.delivered && !(await isDelivered(tx, id, number))) requireSystem(caller)
    if (!(await publishVersion(tx, id, number, ctx.clock.now()))) {
      throw new AppError('DEVICEDRIVER_NOT_FOUND', { id, number })
    }
    await takeOverIfAsked(tx, id, number, takeOverBy(caller, row))
    await recordActivity(tx, caller, {
      ...about('publish', row),
      changes: { publishedVersion: { before: row.publishedVersion, after: number } },
    })
  })
}

/** @throws AppError DEVICEDRIVER_IN_USE with counts and examples while devices or templates use it */
export async function deleteDriver(ctx: Context, caller: Caller, id: number): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockDriver(tx, id)
    const row = await driverForChange(tx, caller, id)
    const counts = await countReferences(tx, 'driver', id)
    const [devices, templates] = [counts.virtualDevice ?? 0, counts.deviceTemplate ?? 0]
    if (devices + templates > 0)
      throw new AppError('DEVICEDRIVER_IN_USE', {
        devices,
        templates,
        examples: await listDevicesOf(tx, id, deviceScopes(caller)),
      })
    await deleteDriverRow(tx, id)
    await recordActivity(tx, caller, about('delete', row))
  })
}

/**
 * Devices that lose their own health configuration: those of accounts in which the new version runs
 * immediately. Other accounts decide when they accept it.
 */
function takeOverBy(caller: Caller, { accountId, delivered }: DriverRow): TakeOver {
  return { scopeIds: deviceWriteScopes(caller), accountId: delivered ? null : accountId }
}

/**
 * Refuses variable names that differ only by case, because their states are easily confused.
 * @throws AppError DEVICEDRIVER_ALIKE_VARIABLES with `names`, unless `acceptAlike` is set
 */
function requireUnlike(input: DriverInput): void {
  if (input.acceptAlike) return
  const names = lookAlikes(variableNames(input))
  if (names.length > 0) throw new AppError('DEVICEDRIVER_ALIKE_VARIABLES', { names })
}

async function driverForChange(
  db: Executor,
  caller: Caller,
  id: number,
  { number, version }: { number?: number | undefined; version?: number } = {},
): Promise<DriverRow> {
  const row = await requireDriver(db, caller, id, number)
  requireManage(caller, row.scopeId)
  if (version !== undefined && version !== row.version) {
    throw new AppError('VERSION_CONFLICT', { version: row.version })
  }
  return row
}

/** The token of an HTTP parser: the entered one; null for none; undefined for the stored one. */
interface Token {
  driverId?: number
  entered?: string | null | undefined
  stored?: ParserSecret | null
}

/** Stores the entered token for the URL of the parser, or deletes the stored one. */
async function storeSecret(
  { secrets }: Context,
  tx: Executor,
  id: number,
  { parser, parserSecret }: Pick<DriverInput, 'parser' | 'parserSecret'>,
): Promise<void> {
  if (parserSecret === undefined) return
  const address = kindOf(parser).addressOf?.(parser)
  if (parserSecret !== null && address === undefined)
    throw new AppError(
      'VALIDATION_ERROR',
      { field: 'parserSecret' },
      `Parsers of kind ${parser.kind} have no token`,
    )
  const secret =
    parserSecret === null || address === undefined ? null : sealBearer(secrets, id, address, parserSecret)
  await setParserSecret(tx, id, secret)
}

/**
 * Checks the parser and runs the golden packets.
 * @returns the golden packets to store; with `accept`, those that decode differently expect the new result
 * @throws AppError VALIDATION_ERROR, SCRIPT_SYNTAX …, DEVICEDRIVER_GOLDEN_MISMATCH with `mismatches`
 */
export async function checkContent(
  ctx: Pick<Context, 'scripts' | 'elixir'> & { parsers?: ParserTools },
  accountId: number,
  content: VersionContent,
  accept: boolean,
  { driverId = 0, entered, stored = null }: Token = {},
): Promise<readonly GoldenPacket[]> {
  const keys = content.variables.map(({ key }) => key)
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      { field: 'variables', key: twice },
      `The variable ${twice} appears twice`,
    )
  }
  await checkParser(ctx, accountId, content)
  // A parser that cannot run here is stored without checks.
  if (await kindOf(content.parser).isMissing?.(ctx)) return content.golden
  await requireExpressions(ctx.scripts, content.health, accountId)
  const bearer =
    typeof entered === 'string' ? { bearer: entered } : { parserSecret: entered === null ? null : stored }
  const runnable = { ...contentOf(content), ...bearer, driverId, number: 0, accountId }
  const mismatches = await checkGolden(ctx.parsers ?? ctx, runnable, content.golden, accountId)
  if (mismatches.length === 0) return content.golden
  if (!accept) throw new AppError('DEVICEDRIVER_GOLDEN_MISMATCH', { mismatches })
  return acceptResults(content.golden, mismatches)
}

/** Updates expected results; packets that fail keep their previous expectation. */
function acceptResults(
  golden: readonly GoldenPacket[],
  mismatches: readonly GoldenMismatch[],
): GoldenPacket[] {
  const actual = new Map(
    mismatches.map(({ index, error, variables }) => [index, error ? undefined : variables]),
  )
  return golden.map((packet, index) => ({ ...packet, expected: actual.get(index) ?? packet.expected }))
}

function contentOf(content: VersionContent): VersionContent {
  const { parser, script, calculated, variables, golden, health, downlinks } = content
  return { parser, script, calculated, variables, golden, health, downlinks }
}

function metaChanges(before: DriverRow, after: DriverInput): Record<string, unknown> {
  const keys = ['title', 'description', 'manufacturer', 'model', 'visibility', 'specs'] as const
  const changed = keys.filter((key) => !isDeepStrictEqual(before[key], after[key]))
  return Object.fromEntries(changed.map((key) => [key, { before: before[key], after: after[key] }]))
}

function about(action: string, driver: { id: number; title: string; accountId: number }) {
  return {
    action,
    subject: 'DeviceDriver',
    objectId: driver.id,
    objectTitle: driver.title,
    accountId: driver.accountId,
  }
}
