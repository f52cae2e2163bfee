import type { AccessEntry, NewUserRow, RowFault, User } from '@leitstand/contract'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { requireAccount } from '../../accounts/index.ts'
import { changesBetween, recordActivity } from '../../activity/index.ts'
import type { Gain } from '../../rights/index.ts'
import {
  changeAccess,
  described,
  readAccess,
  requireSuperAdmin,
  rightsGained,
  scopesSeen,
} from '../../rights/index.ts'
import { keepConsent } from '../consent/consent.ts'
import { loginName } from '../loginName.ts'
import { notify } from '../notices.ts'
import { deleteTokensOf } from '../passwords/store.ts'
import { deleteSessionsOf } from '../store/users.ts'
import { accessFaults, defaultAccess, inChargeOfNew } from './newAccess.ts'
import { Probing } from './probing.ts'
import { faultsOf, nameOf } from './rows.ts'
import {
  deleteUser,
  findUserIn,
  insertInvited,
  type MasterData,
  nextVersion,
  takenNames,
  type UserDetails,
  updateUser,
} from './store.ts'

/** Errors that concern a single row of a list of new users. */
const ofRow: ReadonlySet<string> = new Set(['USER_DUPLICATE', 'TOO_MANY_REQUESTS'])

/** Sends a user a link to set a password. */
export type Invite = (
  tx: Executor,
  user: { id: number; accountId: number; email: string; properties: unknown },
) => Promise<void>

export interface NewUser extends MasterData {
  accountId: number
  access?: AccessEntry[] | undefined
  invite: boolean
}

/**
 * Users and their roles. Changing a user requires all rights of that user. Otherwise an account administrator
 * could change the address of a more powerful user and reset the password.
 */
export class Users {
  readonly #ctx: Pick<Context, 'db' | 'mail' | 'brands'>
  readonly #invite: Invite
  readonly #probing: Probing

  constructor(ctx: Pick<Context, 'db' | 'mail' | 'brands' | 'clock' | 'log'>, invite: Invite) {
    this.#ctx = ctx
    this.#invite = invite
    this.#probing = new Probing(ctx)
  }

  /** @throws AppError USER_NOT_FOUND */
  async get(caller: Caller, id: number): Promise<User> {
    const { db } = this.#ctx
    const seen = scopesSeen(caller)
    const user = await findUserIn(db, id, seen)
    if (!user) throw new AppError('USER_NOT_FOUND', { id })
    const access = await readAccess(db, id)
    const more = await rightsGained(db, [], access, caller)
    const inSight = access.filter(({ scopeId }) => seen.includes(scopeId))
    return {
      ...toUser(user),
      access: inSight.map(({ scopeId, roleId, isMain }) => ({ scopeId, roleId, isMain })),
      accessElsewhere: access.length - inSight.length,
      editable:
        more === null && Boolean(await findUserIn(db, id, caller.scopeIds('UserManagement', 'manage'))),
    }
  }

  /** @throws AppError TENANT_NOT_FOUND, USER_DUPLICATE, TOO_MANY_REQUESTS, and those of `changeAccess` */
  async create(caller: Caller, user: NewUser): Promise<User> {
    const account = await this.#accountFor(caller, user.accountId)
    const access = user.access ?? (await defaultAccess(this.#ctx.db, account, inChargeOfNew(caller)))
    const id = await this.#probing.guard(caller, user, () =>
      this.#ctx.db.transaction().execute((tx) => this.#insert(tx, caller, { ...user, access })),
    )
    // A caller with the right to create users may lack the right to read them.
    const created = await findUserIn(this.#ctx.db, id, caller.scopeIds('UserManagement', 'create'))
    if (!created) throw new AppError('USER_NOT_FOUND', { id })
    return { ...toUser(created), access, accessElsewhere: 0, editable: true }
  }

  /** @throws AppError USER_NOT_FOUND, USER_MAY_DO_MORE, USER_SELF, USER_LAST_ADMIN, VERSION_CONFLICT, USER_DUPLICATE, TOO_MANY_REQUESTS */
  async update(
    caller: Caller,
    change: MasterData & { id: number; version: number; access?: AccessEntry[] | undefined },
  ): Promise<User> {
    const { id, version, access, ...wanted } = change
    await this.#probing.guard(caller, change, () =>
      this.#ctx.db.transaction().execute(async (tx) => {
        const user = await findManaged(tx, caller, id)
        if (id === caller.userId && !wanted.active) throw new AppError('USER_SELF')
        wanted.properties = keepConsent(wanted.properties, user.properties)
        if (!(await updateUser(tx, id, version, wanted))) throw new AppError('VERSION_CONFLICT')
        if (!wanted.active) await deleteSessionsOf(tx, id)
        const changes = changesBetween(masterDataOf(user), { ...wanted })
        if (access) Object.assign(changes, await this.#changeAccess(tx, caller, id, access))
        else await requireSuperAdmin(tx)
        await noteUser(tx, caller, 'update', user, changes)
        const isOther = wanted.email.toLowerCase() !== user.email.toLowerCase()
        // A link sent to the old address must not set the password.
        if (isOther) await deleteTokensOf(tx, id)
        // Sent to the old address, since a takeover usually starts with changing it.
        if (isOther && !user.invited) await notify(this.#ctx, tx, id, 'emailChanged', user.email)
      }),
    )
    return this.get(caller, id)
  }

  /** @returns the version after the change @throws as `update` */
  async updateAccess(caller: Caller, id: number, version: number, access: AccessEntry[]): Promise<number> {
    return this.#ctx.db.transaction().execute(async (tx) => {
      const user = await findUserIn(tx, id, caller.scopeIds('UserManagement', 'manage'), true)
      if (!user) throw new AppError('USER_NOT_FOUND', { id })
      const next = await nextVersion(tx, id, version)
      if (next === null) throw new AppError('VERSION_CONFLICT')
      await noteUser(tx, caller, 'update', user, await this.#changeAccess(tx, caller, id, access))
      return next
    })
  }

  /** @throws AppError USER_NOT_FOUND, USER_MAY_DO_MORE, USER_SELF, USER_LAST_ADMIN */
  async delete(caller: Caller, id: number): Promise<void> {
    await this.#ctx.db.transaction().execute(async (tx) => {
      const user = await findManaged(tx, caller, id)
      if (id === caller.userId) throw new AppError('USER_SELF')
      await deleteUser(tx, id)
      await requireSuperAdmin(tx)
      await noteUser(tx, caller, 'delete', user, { email: user.email })
    })
  }

  /** @throws AppError USER_NOT_FOUND, USER_MAY_DO_MORE, AUTH_USER_DEACTIVATED, USER_HAS_PASSWORD */
  async invite(caller: Caller, id: number): Promise<void> {
    await this.#ctx.db.transaction().execute(async (tx) => {
      const user = await findManaged(tx, caller, id)
      if (!user.active) throw new AppError('AUTH_USER_DEACTIVATED')
      if (user.password_hash !== null) throw new AppError('USER_HAS_PASSWORD')
      await this.#invite(tx, {
        id,
        accountId: user.account_id,
        email: user.email,
        properties: user.properties,
      })
      await noteUser(tx, caller, 'invite', user, { email: user.email })
    })
  }

  /** The rows that would be refused, without revealing hidden users. @throws AppError TENANT_NOT_FOUND */
  async faults(caller: Caller, accountId: number, rows: readonly NewUserRow[]): Promise<RowFault[]> {
    await this.#accountFor(caller, accountId)
    return this.#faults(caller, rows)
  }

  /**
   * Creates the valid rows, each in its own transaction.
   * @throws as `create`, for errors that concern all rows
   */
  async createMany(
    caller: Caller,
    input: { accountId: number; users: NewUserRow[]; access?: AccessEntry[] | undefined; invite: boolean },
  ): Promise<{ created: { row: number; id: number; email: string }[]; faults: RowFault[] }> {
    const account = await this.#accountFor(caller, input.accountId)
    const access = input.access ?? (await defaultAccess(this.#ctx.db, account, inChargeOfNew(caller)))
    const faults = await this.#faults(caller, input.users)
    const refused = new Set(faults.map(({ row }) => row))
    const created: { row: number; id: number; email: string }[] = []
    for (const [row, data] of input.users.entries()) {
      if (refused.has(row)) continue
      const user = { ...data, username: nameOf(data), active: true, access: data.access ?? access }
      try {
        const id = await this.#probing.guard(caller, user, () =>
          this.#ctx.db
            .transaction()
            .execute((tx) =>
              this.#insert(tx, caller, { ...user, accountId: account.id, invite: input.invite }),
            ),
        )
        created.push({ row, id, email: data.email })
      } catch (error) {
        // A user the caller does not see may have the name, and a role may have gone since the check; other errors
        // concern all rows.
        const isOfRow = error instanceof AppError && (ofRow.has(error.code) || data.access !== undefined)
        if (!isOfRow) throw error
        faults.push({ row, email: data.email, code: error.code, field: null })
      }
    }
    return { created, faults: faults.sort((a, b) => a.row - b.row) }
  }

  async #insert(tx: Executor, caller: Caller, user: NewUser): Promise<number> {
    const { accountId, access = [], invite, ...data } = user
    data.properties = keepConsent(data.properties, {})
    const id = await insertInvited(tx, accountId, data)
    const { after } = await changeAccess(tx, id, access, caller, inChargeOfNew(caller))
    const about = { id, account_id: accountId, username: data.username }
    await noteUser(tx, caller, 'create', about, { ...data, access: described(after) })
    if (invite && data.active)
      await this.#invite(tx, { id, accountId, email: data.email, properties: data.properties })
    return id
  }

  async #changeAccess(tx: Executor, caller: Caller, id: number, access: AccessEntry[]) {
    const inCharge = caller.scopeIds('UserManagement', 'manage')
    const { before, after } = await changeAccess(tx, id, access, caller, inCharge)
    return changesBetween({ access: described(before) }, { access: described(after) })
  }

  #accountFor(caller: Caller, id: number) {
    return requireAccount(this.#ctx.db, id, caller.scopeIds('UserManagement', 'create'))
  }

  async #faults(caller: Caller, rows: readonly NewUserRow[]): Promise<RowFault[]> {
    const { db } = this.#ctx
    const logins = rows.flatMap((row) => [loginName(nameOf(row)), loginName(row.email)])
    const faults = faultsOf(rows, await takenNames(db, logins, scopesSeen(caller)))
    const faulty = new Set(faults.map(({ row }) => row))
    const ofAccess = (await accessFaults(db, caller, rows)).filter(({ row }) => !faulty.has(row))
    return [...faults, ...ofAccess].sort((one, other) => one.row - other.row)
  }
}

/**
 * A user whose master data the caller may change, locked until the transaction ends.
 * @throws AppError USER_NOT_FOUND, USER_MAY_DO_MORE
 */
export async function findManaged(
  tx: Executor,
  caller: Caller,
  id: number,
  lock = true,
): Promise<UserDetails> {
  const user = await findUserIn(tx, id, caller.scopeIds('UserManagement', 'manage'), lock)
  if (!user) throw new AppError('USER_NOT_FOUND', { id })
  const access = await readAccess(tx, id)
  const more: Gain | null = await rightsGained(tx, [], access, caller)
  if (more !== null) throw new AppError('USER_MAY_DO_MORE', { ...more })
  return user
}

function masterDataOf(user: UserDetails): Record<string, unknown> {
  return {
    username: user.username,
    email: user.email,
    firstName: user.first_name,
    lastName: user.last_name,
    phone: user.phone,
    mobile: user.mobile,
    active: user.active,
    properties: user.properties,
  }
}

function toUser(user: UserDetails): Omit<User, 'access' | 'accessElsewhere' | 'editable'> {
  return {
    id: user.id,
    accountId: user.account_id,
    username: user.username,
    email: user.email,
    firstName: user.first_name,
    lastName: user.last_name,
    phone: user.phone,
    mobile: user.mobile,
    active: user.active,
    invited: user.invited,
    version: user.version,
    lockedUntil: user.lockedUntil?.toISOString() ?? null,
    lastLoginAt: user.last_login_at?.toISOString() ?? null,
    createdAt: user.created_at.toISOString(),
    properties: user.properties as User['properties'],
  }
}

/** Writes an activity entry about a user. */
export async function noteUser(
  tx: Executor,
  caller: Caller,
  action: string,
  user: { id: number; username: string; account_id: number },
  changes: object,
): Promise<void> {
  const about = {
    subject: 'User',
    objectId: user.id,
    objectTitle: user.username,
    accountId: user.account_id,
  }
  await recordActivity(tx, caller, { action, ...about, changes })
}
