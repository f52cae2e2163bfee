import {
  type Announcement,
  type AnnouncementInput,
  announcementLimits,
} from '@leitstand/contract/announcements'
import { parseSearch } from '@leitstand/contract/search'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { requireAccount } from '../accounts/index.ts'
import { changesBetween, recordActivity } from '../activity/index.ts'
import { homeAccountOf, ownSelf, userIdOf } from '../people/index.ts'
import { nextOf, titleOf } from './input.ts'
import { publish } from './live.ts'
import {
  countLocked,
  countReach,
  deleteAnnouncement,
  dismiss,
  findAnnouncement,
  insertAnnouncement,
  listAnnouncements,
  readOwn,
  updateAnnouncement,
} from './store.ts'

const managed = (caller: Caller) => caller.scopeIds('all', 'manage')

/** Operations on announcements. */
export function announcementRoutes(ctx: Context) {
  const { db, clock } = ctx
  const required = async (tx: Executor, caller: Caller, id: number): Promise<Announcement> => {
    const found = await findAnnouncement(tx, managed(caller), id, clock.now())
    if (found === undefined) throw new AppError('ANNOUNCEMENT_NOT_FOUND', { id })
    return found
  }
  /** Stores a change of an announcement the caller has read as `before`, and tells everybody it concerns. */
  const change = async (
    caller: Caller,
    id: number,
    changed: (before: Announcement) => AnnouncementInput & { version: number },
  ): Promise<Announcement> => {
    const after = await db.transaction().execute(async (tx) => {
      const before = await required(tx, caller, id)
      const { version, ...input } = changed(before)
      const nextAt = nextOf(input, clock.now())
      if (input.active && !before.active) await demandRoom(tx, before.accountId, id, input)
      if (!(await updateAnnouncement(tx, { id, version }, input, nextAt)))
        throw new AppError('VERSION_CONFLICT')
      await note(tx, caller, 'update', { ...before, ...input }, changesBetween(inputOf(before), input))
      return required(tx, caller, id)
    })
    await publish(ctx, [after.accountId])
    return after
  }
  return {
    list: os.announcement.list.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit, below, status, order_by: orderBy } = input
      await requireAccount(db, id, managed(caller))
      const search = parseSearch(input.search)
      const asked = { accountId: id, below, search, status, orderBy, offset, limit }
      const { items, total } = await listAnnouncements(db, managed(caller), clock.now(), asked)
      return { items, total, offset, limit }
    }),
    reach: os.announcement.reach.handler(async ({ input, context: { caller } }) => {
      await requireAccount(db, input.id, managed(caller))
      return countReach(db, input.id, input.includeSubTenants)
    }),
    create: os.announcement.create.handler(
      async ({ input: { id: accountId, ...input }, context: { caller } }) => {
        const created = await db.transaction().execute(async (tx) => {
          await requireAccount(tx, accountId, managed(caller))
          const now = clock.now()
          const nextAt = nextOf(input, now)
          await demandRoom(tx, accountId, null, input)
          const id = await insertAnnouncement(tx, accountId, input, { nextAt, now })
          await note(tx, caller, 'create', { id, accountId, text: input.text })
          return required(tx, caller, id)
        })
        await publish(ctx, [accountId])
        return created
      },
    ),
    get: os.announcement.get.handler(({ input: { id }, context: { caller } }) => required(db, caller, id)),
    update: os.announcement.update.handler(({ input: { id, ...input }, context: { caller } }) =>
      change(caller, id, () => input),
    ),
    setState: os.announcement.setState.handler(({ input: { id, active }, context: { caller } }) =>
      change(caller, id, (before) => ({ ...inputOf(before), active, version: before.version })),
    ),
    delete: os.announcement.delete.handler(async ({ input: { id }, context: { caller } }) => {
      const before = await db.transaction().execute(async (tx) => {
        const found = await required(tx, caller, id)
        await deleteAnnouncement(tx, id)
        await note(tx, caller, 'delete', found)
        return found
      })
      await publish(ctx, [before.accountId])
      return { ok: true } as const
    }),
    own: os.announcement.own.handler(async ({ context: { caller } }) => {
      const userId = userIdOf(caller)
      return { items: await readOwn(db, { userId, accountId: await homeAccountOf(db, caller) }, clock.now()) }
    }),
    dismiss: os.announcement.dismiss.handler(async ({ input: { id }, context: { caller } }) => {
      const { userId } = ownSelf(caller)
      if (!(await dismiss(db, { userId, accountId: await homeAccountOf(db, caller) }, id)))
        throw new AppError('ANNOUNCEMENT_NOT_FOUND', { id })
      return { ok: true } as const
    }),
  }
}

/** Only what an administrator enters. */
function inputOf({
  type,
  presentationType,
  text,
  link,
  active,
  start,
  end,
  includeSubTenants,
}: Announcement) {
  return { type, presentationType, text, link, active, start, end, includeSubTenants }
}

/**
 * Locks the account, so that two at once do not pass the limits.
 * @throws AppError ANNOUNCEMENTS_LIMIT
 */
async function demandRoom(
  tx: Executor,
  accountId: number,
  id: number | null,
  { active }: Pick<AnnouncementInput, 'active'>,
): Promise<void> {
  const { activeMax, max } = announcementLimits
  const found = await countLocked(tx, accountId, id)
  if (found.all >= max) throw new AppError('ANNOUNCEMENTS_LIMIT', { max, active: 'all' })
  if (active && found.active >= activeMax)
    throw new AppError('ANNOUNCEMENTS_LIMIT', { max: activeMax, active: 'active' })
}

async function note(
  tx: Executor,
  caller: Caller,
  action: 'create' | 'update' | 'delete',
  { id, accountId, text }: Pick<Announcement, 'id' | 'accountId' | 'text'>,
  changes?: object,
): Promise<void> {
  await recordActivity(tx, caller, {
    action,
    subject: 'Announcement',
    objectId: id,
    objectTitle: titleOf(text),
    accountId,
    ...(changes === undefined ? {} : { changes }),
  })
}
