import type { AccountLimit } from '@leitstand/contract'
import { bulkLimits } from '@leitstand/contract/bulk'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { countOf } from '../objects/index.ts'
import { type BoundingAccount, lockLimits, readLimitLine } from './limits.store.ts'

const megabyte = 1_048_576

/** A limit of an account on the path to the root, `null` where it has none. */
export interface LimitOnTheWay {
  readonly own: number | null
  /** null: the caller does not see the account */
  readonly name: string | null
}

/**
 * The effective limit of an account: the lowest of its own and all above it. Of equal limits the nearest
 * applies.
 * @param line the account itself first, the topmost last
 */
export function limitOf(line: readonly LimitOnTheWay[]): AccountLimit {
  const least = line.reduce<LimitOnTheWay | undefined>(
    (found, each) =>
      each.own !== null && each.own < (found?.own ?? Number.POSITIVE_INFINITY) ? each : found,
    undefined,
  )
  const own = line[0]?.own ?? null
  if (least === undefined) return { own, value: null, from: null }
  return { own, value: least.own, from: least === line[0] ? null : { name: least.name } }
}

/**
 * The limits of an account, and whether the default for rule mails applies to its customer.
 * @param seen scopes whose accounts the caller may know by name
 */
export async function limitsOf(db: Executor, id: number, seen: readonly number[]) {
  const line = await readLimitLine(db, id)
  const visible = new Set(seen)
  const named = line.map((each) => ({ ...each, name: visible.has(each.scopeId) ? each.name : null }))
  // The account right below the topmost one; the topmost counts for itself.
  const customer = line[Math.max(0, line.length - 2)]
  const limits = {
    csvExport: limitOf(named.map(({ name, csvRows }) => ({ name, own: csvRows }))),
    devices: {
      ...limitOf(named.map(({ name, devices }) => ({ name, own: devices }))),
      used: await countOf('devices')(db, id),
    },
    templates: {
      ...limitOf(named.map(({ name, templates }) => ({ name, own: templates }))),
      used: await countOf('templates')(db, id),
    },
    files: {
      ...limitOf(named.map(({ name, fileMegabytes }) => ({ name, own: fileMegabytes }))),
      used: await countOf('files')(db, id),
    },
    bulk: limitOf(named.map(({ name, bulk }) => ({ name, own: bulk }))),
    ruleMails: {
      ...limitOf(named.map(({ name, ruleMails }) => ({ name, own: ruleMails }))),
      used: await countOf('ruleMails')(db, id),
    },
  }
  return { limits, hasDefaultMails: customer?.ruleMails === null }
}

/** Rows that users of the account may export as CSV; null: no limit. */
export async function csvRowsMaxOf(db: Executor, accountId: number): Promise<number | null> {
  const line = await readLimitLine(db, accountId)
  return limitOf(line.map(({ name, csvRows }) => ({ name, own: csvRows }))).value
}

/** Virtual devices one bulk edit or import may contain in an account. */
export async function bulkDevicesMaxOf(db: Executor, accountId: number): Promise<number> {
  const line = await readLimitLine(db, accountId)
  return limitOf(line.map(({ name, bulk }) => ({ name, own: bulk }))).value ?? bulkLimits.devicesDefault
}

/**
 * Checks that an account, and each above it, may have more virtual devices. Locks the accounts with a limit
 * until the transaction ends, so that concurrent requests cannot exceed it together.
 * @throws AppError TENANT_DEVICE_LIMIT with the limit and the account, TENANT_DEVICE_LIMIT_ABOVE when the caller does
 * not see that account
 */
export async function demandRoomForDevices(
  tx: Executor,
  caller: Caller,
  accountId: number,
  more = 1,
): Promise<void> {
  for (const bound of await lockLimits(tx, accountId, 'device_limit')) {
    const used = await countOf('devices')(tx, bound.id)
    if (used + more > bound.limit)
      throw limitPassed('TENANT_DEVICE_LIMIT', caller, accountId, bound, { used })
  }
}

/**
 * Checks that an account, and each above it, may have one more device template. Locks the accounts with a
 * limit until the transaction ends.
 * @throws AppError TENANT_TEMPLATE_LIMIT with the limit and the account, TENANT_TEMPLATE_LIMIT_ABOVE when the caller
 * does not see that account
 */
export async function demandRoomForTemplates(tx: Executor, caller: Caller, accountId: number): Promise<void> {
  for (const bound of await lockLimits(tx, accountId, 'template_limit')) {
    const used = await countOf('templates')(tx, bound.id)
    if (used >= bound.limit) throw limitPassed('TENANT_TEMPLATE_LIMIT', caller, accountId, bound, { used })
  }
}

/**
 * Checks that an account, and each above it, may have more files. Locks the accounts with a limit until the
 * transaction ends.
 * @throws AppError TENANT_FILE_LIMIT with the limit in megabytes and the account, TENANT_FILE_LIMIT_ABOVE when the
 * caller does not see that account
 */
export async function demandRoomForFiles(
  tx: Executor,
  caller: Caller,
  accountId: number,
  bytes: number,
): Promise<void> {
  for (const bound of await lockLimits(tx, accountId, 'file_megabytes')) {
    const used = await countOf('files')(tx, bound.id)
    if (used + bytes > bound.limit * megabyte)
      throw limitPassed('TENANT_FILE_LIMIT', caller, accountId, bound)
  }
}

/** Callers who do not see the limiting account learn only the limit. */
function limitPassed(
  code: 'TENANT_DEVICE_LIMIT' | 'TENANT_FILE_LIMIT' | 'TENANT_TEMPLATE_LIMIT',
  caller: Caller,
  accountId: number,
  { id, name, scopeId, limit }: BoundingAccount,
  more: { used?: number } = {},
): AppError {
  const known = id === accountId || caller.scopeIds('VirtualDevice', 'read').includes(scopeId)
  return known
    ? new AppError(code, { limit, ...more, account: name, accountId: id })
    : new AppError(`${code}_ABOVE`, { limit })
}
