import * as z from 'zod'
import { Done, Id, operation } from './common.ts'

/** 0 service technician, 1 responsible employee. */
const Responsibility = z.int().min(0).max(1)

/** Maximum relations of one twin or device. */
export const userRelationsMax = 50

/** A user responsible for a twin or device. Has no effect on permissions. */
export const UserRelation = z.object({
  userId: Id,
  /** first and last name, else the user name */
  name: z.string(),
  responsibility: Responsibility,
  /** false: the user is deactivated, or no longer has a role that reaches the object */
  active: z.boolean(),
})
export type UserRelation = z.infer<typeof UserRelation>

const read = {
  any: [
    { subject: 'DigitalTwin', action: 'read' },
    { subject: 'VirtualDevice', action: 'read' },
  ],
} as const
const write = {
  any: [
    { subject: 'DigitalTwin', action: 'write' },
    { subject: 'VirtualDevice', action: 'write' },
  ],
} as const
const about = { id: Id }
const Relation = z.object({ ...about, userId: Id, responsibility: Responsibility })

/** Responsible users of twins and virtual devices. */
export const userRelation = {
  /** By responsibility and name; visible to all users who may see the object. */
  list: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/{id}/user-relations',
      tags: ['twins'],
      summary: 'Responsible users of a twin or device',
    })
    .input(z.object(about))
    .output(z.object({ items: z.array(UserRelation) })),
  /**
   * Users who can be made responsible, by name: active, with a role that reaches the object from a scope whose objects
   * the caller may see.
   */
  candidates: operation
    .meta({ rule: write })
    .route({
      method: 'GET',
      path: '/digitaltwin/{id}/user-relations/candidates',
      tags: ['twins'],
      summary: 'Who can be made responsible',
    })
    .input(
      z.object({
        ...about,
        search: z.string().max(200).optional(),
        limit: z.int().min(1).max(100).default(20),
      }),
    )
    .output(z.object({ items: z.array(z.object({ userId: Id, name: z.string() })) })),
  /** USER_RELATION_DUPLICATE when the user already has this responsibility. */
  create: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/digitaltwin/{id}/user-relations',
      tags: ['twins'],
      summary: 'Make a user responsible',
      successStatus: 201,
    })
    .input(Relation)
    .output(z.object({ items: z.array(UserRelation) })),
  delete: operation
    .meta({ rule: write })
    .route({
      method: 'DELETE',
      path: '/digitaltwin/{id}/user-relations/{userId}/{responsibility}',
      tags: ['twins'],
      summary: 'Take a responsibility away',
    })
    .input(Relation)
    .output(Done),
}
