import { type UserRelation, userRelationsMax } from '@leitstand/contract/userRelations'
import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { recordActivity } from '../../activity/index.ts'
import { bothScopes, readScopes, requireWrite } from '../policy.ts'
import { findObject, type ObjectRow } from '../store/objects.ts'
import { deleteRelation, findCandidates, insertRelation, listRelations } from './store.ts'

type Relation = Pick<UserRelation, 'userId' | 'responsibility'>

/** Operations for users responsible for a twin or device. */
export function relationRoutes({ db, clock }: Context) {
  return {
    list: os.userRelation.list.handler(async ({ input, context: { caller } }) => {
      const { id, scopeId } = await visibleObject(db, caller, input.id)
      return { items: await listRelations(db, id, scopeId) }
    }),
    candidates: os.userRelation.candidates.handler(async ({ input, context: { caller } }) => {
      const { category, scopeId } = await objectToChange(db, caller, input.id)
      const { search, limit } = input
      return {
        items: await findCandidates(db, scopeId, readScopes(caller, category), { search, limit }),
      }
    }),
    create: os.userRelation.create.handler(async ({ input, context: { caller } }) => {
      const { scopeId } = await addRelation(db, caller, input, clock.now())
      return { items: await listRelations(db, input.id, scopeId) }
    }),
    delete: os.userRelation.delete.handler(async ({ input, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        const object = await objectToChange(tx, caller, input.id)
        const name = await deleteRelation(tx, object.id, input)
        if (name === undefined) throw new AppError('USER_RELATION_NOT_FOUND')
        await note(tx, caller, object, input, [name, null])
      })
      return { ok: true as const }
    }),
  }
}

/** @throws AppError not found and NO_PERMISSION of the object, USER_NOT_FOUND, USER_RELATION_DUPLICATE, USER_RELATION_LIMIT */
function addRelation(
  db: Context['db'],
  caller: Caller,
  { id, ...relation }: Relation & { id: number },
  now: Date,
): Promise<ObjectRow> {
  return db.transaction().execute(async (tx) => {
    const object = await objectToChange(tx, caller, id)
    const { userId } = relation
    const seen = readScopes(caller, object.category)
    const [user] = await findCandidates(tx, object.scopeId, seen, { userId, limit: 1 })
    if (!user) throw new AppError('USER_NOT_FOUND', { id: userId })
    const there = await listRelations(tx, id, object.scopeId)
    if (there.length >= userRelationsMax) throw new AppError('USER_RELATION_LIMIT', { max: userRelationsMax })
    if (!(await insertRelation(tx, id, relation, now))) throw new AppError('USER_RELATION_DUPLICATE')
    await note(tx, caller, object, relation, [null, user.name])
    return object
  })
}

/** @throws AppError DTWIN_NOT_FOUND */
async function visibleObject(
  db: Executor,
  caller: Caller,
  id: number,
  options: { lock?: 'change' } = {},
): Promise<ObjectRow> {
  const scopes = bothScopes(caller, 'read')
  const row =
    (await findObject(db, 'digitalTwin', scopes.digitalTwin, id, options)) ??
    (await findObject(db, 'virtualDevice', scopes.virtualDevice, id, options))
  if (!row) throw new AppError('DTWIN_NOT_FOUND', { id })
  return row
}

/** Locks the row within a transaction, so that concurrent calls cannot exceed the limit. */
async function objectToChange(db: Executor, caller: Caller, id: number): Promise<ObjectRow> {
  const row = await visibleObject(db, caller, id, db.isTransaction ? { lock: 'change' } : {})
  requireWrite(caller, row.category, row.scopeId)
  return row
}

/** Names of the responsibilities in the activity log. */
const fields = ['serviceTechnician', 'responsibleEmployee'] as const

function note(
  tx: Executor,
  caller: Caller,
  object: ObjectRow,
  { responsibility }: Relation,
  change: [before: string | null, after: string | null],
) {
  return recordActivity(tx, caller, {
    action: 'update',
    subject: object.category === 'digitalTwin' ? 'DigitalTwin' : 'VirtualDevice',
    objectId: object.id,
    objectTitle: object.title,
    accountId: object.accountId,
    changes: { [fields[responsibility] ?? 'user']: change },
  })
}
