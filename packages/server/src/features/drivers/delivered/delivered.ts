import type { LibraryDriver as LibraryDriverReply, LibraryEntry } from '@leitstand/contract/driverLibrary'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { recordActivity } from '../../activity/index.ts'
import { checkContent, requireDriver } from '../drivers.ts'
import { checkGolden, type GoldenMismatch } from '../golden.ts'
import { toStored } from '../install.ts'
import { type LibraryDriver, libraryDriver, libraryDrivers } from '../library/index.ts'
import { manageScopes, requireManage } from '../policy.ts'
import {
  type DriverRow,
  deliveredBy,
  findRootAccount,
  insertVersion,
  lockDriver,
  lockInstallation,
  publishVersion,
  type VersionContent,
} from '../store.ts'
import { changesBetween, isAsDelivered, upgraded } from './changes.ts'
import { findInstalled, insertDelivered, listInstalled, readContents } from './store.ts'

/** Maximum cached comparisons of versions, which never change; the cache is cleared when it is full. */
const comparedMax = 2_000

interface Installed {
  driverId: number
  /** its newest delivered version is what the platform delivers now */
  current: boolean
  /** its published version was written here */
  modified: boolean
}

/** Creates a cached comparison of installed with delivered versions. */
export function createComparison() {
  const compared = new Map<string, boolean>()
  /** For each installed driver by key: its id, and whether it is as delivered. */
  return async (db: Executor): Promise<Map<string, Installed>> => {
    const installed = await listInstalled(db)
    const nameOf = (driver: { id: number; delivered: number | null }) =>
      `${driver.id}:${driver.delivered ?? 0}`
    const unknown = installed.flatMap((driver) =>
      driver.delivered === null || compared.has(nameOf(driver))
        ? []
        : [{ driverId: driver.id, number: driver.delivered }],
    )
    if (compared.size + unknown.length > comparedMax) compared.clear()
    const contents = unknown.length > 0 ? await readContents(db, unknown) : new Map<number, VersionContent>()
    const result = new Map<string, Installed>()
    for (const driver of installed) {
      const delivered = libraryDriver(driver.libraryKey)
      const content = contents.get(driver.id)
      if (content && delivered)
        compared.set(nameOf(driver), isAsDelivered(content, toStored(delivered).content))
      result.set(driver.libraryKey, {
        driverId: driver.id,
        current: compared.get(nameOf(driver)) ?? false,
        modified: driver.modified,
      })
    }
    return result
  }
}

type Compare = ReturnType<typeof createComparison>

/** All delivered drivers with their state. */
export async function libraryEntries(db: Executor, compare: Compare): Promise<LibraryEntry[]> {
  const installed = await compare(db)
  return libraryDrivers().map((driver) => toEntry(driver, installed.get(driver.key)))
}

function toEntry(driver: LibraryDriver, installed: Installed | undefined): LibraryEntry {
  const { key, category, title, manufacturer, model, description } = driver
  const state = !installed ? 'available' : installed.current ? 'current' : 'updatable'
  return {
    key,
    title,
    manufacturer,
    model,
    category,
    description,
    state,
    modified: installed?.modified ?? false,
    driverId: installed?.driverId ?? null,
  }
}

/** Whether the caller may install and update delivered drivers, which belong to the topmost account. */
export async function mayInstall(db: Executor, caller: Caller): Promise<boolean> {
  const root = await findRootAccount(db)
  return root !== undefined && manageScopes(caller).includes(root.scopeId)
}

/**
 * A delivered driver and the changes of an update.
 * @throws AppError DEVICEDRIVER_NOT_FOUND
 */
export async function getLibraryDriver(
  ctx: Context,
  caller: Caller,
  compare: Compare,
  key: string,
): Promise<LibraryDriverReply> {
  const driver = requireDelivered(key)
  const installed = (await compare(ctx.db)).get(key)
  const { content } = toStored(driver)
  const installable = await mayInstall(ctx.db, caller)
  return {
    ...toEntry(driver, installed),
    connectivity: driver.specs.connectivity ?? null,
    documentationUrl: driver.specs.documentationUrl ?? null,
    script: driver.script,
    variables: driver.variables,
    health: driver.health,
    downlinks: driver.downlinks.map(({ name, description, port, payload, documentationUrl }) => ({
      name,
      port,
      payload,
      documentationUrl,
      description: description ?? null,
    })),
    goldenCount: driver.golden.length,
    installed: installed ? await describeInstalled(ctx, caller, installed, content, installable) : null,
    installable,
  }
}

async function describeInstalled(
  ctx: Context,
  caller: Caller,
  installed: Installed,
  delivered: VersionContent,
  /** runs the golden packets, for callers who may update */
  tries: boolean,
): Promise<LibraryDriverReply['installed']> {
  const before = await inUse(ctx.db, caller, installed.driverId)
  const after = upgraded(before, delivered)
  const runnable = { ...after, driverId: 0, number: 0, accountId: before.accountId }
  const mismatches =
    installed.current || !tries ? [] : await checkGolden(ctx, runnable, after.golden, before.accountId)
  return {
    driverId: before.id,
    title: before.title,
    version: before.version,
    number: before.number,
    script: before.script,
    changes: installed.current ? null : changesBetween(before, after),
    mismatches: mismatches.map(toMismatch),
  }
}

function toMismatch({ index, title, error, differences }: GoldenMismatch) {
  return { index, title, error: error && { code: error.code, message: error.message }, differences }
}

/** The published version of a driver, else the latest. */
async function inUse(db: Executor, caller: Caller, id: number): Promise<DriverRow> {
  const latest = await requireDriver(db, caller, id)
  return latest.publishedVersion === null || latest.publishedVersion === latest.number
    ? latest
    : requireDriver(db, caller, id, latest.publishedVersion)
}

/**
 * Installs a delivered driver for the topmost account; an installed one is unchanged.
 * @returns its id
 * @throws AppError DEVICEDRIVER_NOT_FOUND, NO_PERMISSION, DEVICEDRIVER_GOLDEN_MISMATCH
 */
export async function installDelivered(ctx: Context, caller: Caller, key: string): Promise<number> {
  const stored = toStored(requireDelivered(key))
  const root = await findRootAccount(ctx.db)
  if (!root) throw new AppError('DEVICEDRIVER_NOT_FOUND', { key })
  requireManage(caller, root.scopeId)
  await checkContent(ctx, root.accountId, stored.content, false)
  return ctx.db.transaction().execute(async (tx) => {
    await lockInstallation(tx)
    const present = await findInstalled(tx, key)
    if (present !== undefined) return present
    const id = (await insertDelivered(tx, root, [stored], ctx.clock.now())).get(key)
    if (id === undefined) throw new Error('a delivered driver was not stored')
    await recordActivity(tx, caller, {
      action: 'install',
      subject: 'DeviceDriver',
      objectId: id,
      objectTitle: stored.meta.title,
      accountId: root.accountId,
    })
    return id
  })
}

/**
 * Adds the delivered version as the newest version of an installed driver.
 * @returns the driver and the number of its newest version
 * @throws AppError DEVICEDRIVER_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT, DEVICEDRIVER_GOLDEN_MISMATCH
 */
export async function upgradeDelivered(
  ctx: Context,
  caller: Caller,
  compare: Compare,
  input: { key: string; version: number; publish: boolean; acceptGolden: boolean },
): Promise<{ driverId: number; number: number }> {
  const delivered = toStored(requireDelivered(input.key)).content
  const installed = (await compare(ctx.db)).get(input.key)
  if (!installed) throw new AppError('DEVICEDRIVER_NOT_FOUND', { key: input.key })
  const before = await forUpgrade(ctx.db, caller, installed.driverId, input.version)
  if (installed.current) return { driverId: before.id, number: before.latestVersion }
  const content = upgraded(before, delivered)
  const golden = await checkContent(ctx, before.accountId, content, input.acceptGolden)
  return ctx.db.transaction().execute(async (tx) => {
    await lockDriver(tx, before.id)
    const row = await forUpgrade(tx, caller, before.id, input.version)
    const now = ctx.clock.now()
    const about = { note: '', createdBy: deliveredBy, delivered: true, now }
    const number = await insertVersion(tx, row.id, { ...content, golden }, about)
    if (input.publish) await publishVersion(tx, row.id, number, now)
    await recordActivity(tx, caller, {
      action: 'update',
      subject: 'DeviceDriver',
      objectId: row.id,
      objectTitle: row.title,
      accountId: row.accountId,
      changes: { number, published: input.publish, delivered: true },
    })
    return { driverId: row.id, number }
  })
}

async function forUpgrade(db: Executor, caller: Caller, id: number, version: number): Promise<DriverRow> {
  const row = await inUse(db, caller, id)
  requireManage(caller, row.scopeId)
  if (row.version !== version) throw new AppError('VERSION_CONFLICT', { version: row.version })
  return row
}

function requireDelivered(key: string): LibraryDriver {
  const driver = libraryDriver(key)
  if (!driver) throw new AppError('DEVICEDRIVER_NOT_FOUND', { key })
  return driver
}
