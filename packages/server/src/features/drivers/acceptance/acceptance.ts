import type { DriverAcceptance, UnacceptedDriver } from '@leitstand/contract/driverAcceptance'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireAccount } from '../../accounts/index.ts'
import { recordActivity } from '../../activity/index.ts'
import { requireDriver } from '../drivers.ts'
import { takeOverIfAsked } from '../health/store.ts'
import { acceptScopes, deviceScopes, deviceWriteScopes, viewerOf } from '../policy.ts'
import { isDriverOffered } from '../sight.store.ts'
import { lockDriver } from '../store.ts'
import { type DriverUse, listUnaccepted } from './published.store.ts'
import {
  type AcceptanceScopes,
  listAcceptances,
  lockAcceptance,
  wasPublished,
  writeAcceptance,
} from './store.ts'

/** Maximum drivers in an error. */
const listedMax = 100

const scopesOf = (caller: Caller): AcceptanceScopes => ({
  seen: viewerOf(caller).scopeIds,
  editable: acceptScopes(caller),
  devices: deviceScopes(caller),
})

/**
 * The versions of a driver accepted by other accounts, as far as they are visible to the caller.
 * @throws AppError DEVICEDRIVER_NOT_FOUND
 */
export async function acceptancesOf(
  db: Executor,
  caller: Caller,
  { id, ...page }: { id: number; accountId?: number | undefined; offset: number; limit: number },
): Promise<{ items: DriverAcceptance[]; total: number; offset: number; limit: number }> {
  await requireDriver(db, caller, id)
  const found = await listAcceptances(db, id, scopesOf(caller), page)
  return { ...found, offset: page.offset, limit: page.limit }
}

/**
 * Accepts a version of another account's driver for an account: a newer one, or an older one again.
 * @throws AppError TENANT_NOT_FOUND, DEVICEDRIVER_NOT_FOUND also for versions never published or not
 *   available, VALIDATION_ERROR for drivers that need no acceptance
 */
export async function acceptVersion(
  ctx: Context,
  caller: Caller,
  { id, accountId, number }: { id: number; accountId: number; number: number },
): Promise<DriverAcceptance> {
  await ctx.db.transaction().execute(async (tx) => {
    await requireAccount(tx, accountId, acceptScopes(caller))
    await lockDriver(tx, id)
    const driver = await requireDriver(tx, caller, id, number)
    if (driver.delivered || driver.accountId === accountId)
      throw new AppError('VALIDATION_ERROR', { field: 'accountId' }, 'This driver needs no acceptance here')
    if (!(await isDriverOffered(tx, id, accountId)) || !(await wasPublished(tx, id, number)))
      throw new AppError('DEVICEDRIVER_NOT_FOUND', { id, number })
    const before = await lockAcceptance(tx, accountId, id)
    await writeAcceptance(tx, { accountId, driverId: id, number }, { name: caller.name, at: ctx.clock.now() })
    if (before !== number)
      await takeOverIfAsked(tx, id, number, { scopeIds: deviceWriteScopes(caller), accountId })
    await note(tx, caller, driver, { accountId, before: before ?? null, after: number })
  })
  const { items } = await listAcceptances(ctx.db, id, scopesOf(caller), { accountId, offset: 0, limit: 1 })
  const [accepted] = items
  if (accepted === undefined) throw new AppError('DEVICEDRIVER_NOT_FOUND', { id })
  return accepted
}

/**
 * Requires that accounts have accepted drivers before their devices or templates use them. Stores the acceptances
 * given here; those that are not needed have no effect.
 * @param uses each with the version that the caller accepts; undefined: none
 * @throws AppError DEVICEDRIVER_NOT_ACCEPTED with `drivers`, DEVICEDRIVER_NOT_FOUND also for versions never
 *   published or not available
 */
export async function requireAccepted(
  tx: Executor,
  caller: Caller,
  uses: readonly (DriverUse & { number: number | undefined })[],
  now: Date,
): Promise<void> {
  const unaccepted = await listUnaccepted(tx, uses)
  if (unaccepted.length === 0) return
  const numbers = new Map(
    uses.flatMap(({ accountId, driverId, number }) =>
      number === undefined ? [] : [[`${accountId} ${driverId}`, number]],
    ),
  )
  const given = unaccepted.map((driver) => ({
    ...driver,
    accepts: numbers.get(`${driver.usedBy} ${driver.id}`),
  }))
  refuseUnaccepted(given.filter(({ accepts }) => accepts === undefined))
  for (const { id: driverId, usedBy: accountId, accepts: number } of given)
    if (number !== undefined) await acceptFirst(tx, caller, { driverId, accountId, number }, now)
}

/**
 * Accepts a version of another account's driver that the account has not accepted yet.
 * @throws AppError DEVICEDRIVER_NOT_FOUND also for versions never published or not available
 */
async function acceptFirst(
  tx: Executor,
  caller: Caller,
  { driverId, accountId, number }: { driverId: number; accountId: number; number: number },
  now: Date,
): Promise<void> {
  const driver = await requireDriver(tx, caller, driverId, number)
  if (!(await wasPublished(tx, driverId, number)))
    throw new AppError('DEVICEDRIVER_NOT_FOUND', { id: driverId, number })
  if ((await lockAcceptance(tx, accountId, driverId)) !== undefined) return
  await writeAcceptance(tx, { accountId, driverId, number }, { name: caller.name, at: now })
  await note(tx, caller, driver, { accountId, before: null, after: number })
}

/** @throws AppError DEVICEDRIVER_NOT_ACCEPTED with `drivers` unless there are none */
export function refuseUnaccepted(drivers: readonly UnacceptedDriver[]): void {
  if (drivers.length === 0) return
  const listed = drivers.slice(0, listedMax)
  throw new AppError('DEVICEDRIVER_NOT_ACCEPTED', {
    drivers: listed.map(({ id, title, accountName, number }) => ({ id, title, accountName, number })),
  })
}

function note(
  tx: Executor,
  caller: Caller,
  driver: { id: number; title: string },
  { accountId, before, after }: { accountId: number; before: number | null; after: number },
): Promise<void> {
  return recordActivity(tx, caller, {
    action: 'accept',
    subject: 'DeviceDriver',
    objectId: driver.id,
    objectTitle: driver.title,
    // Logged in the account that accepts, not in the account of the author.
    accountId,
    changes: { acceptedVersion: { before, after } },
  })
}
