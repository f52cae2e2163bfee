import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const ObjectChanged = z.object({
  /** as in the activity log, e.g. `VirtualDevice` */
  kind: z.string(),
  id: z.number(),
  /** as in the activity log, e.g. `create`, `update` */
  action: z.string(),
})

export type ObjectChanged = z.infer<typeof ObjectChanged>

/** A person, a job or an import created or changed an object; values and health have topics of their own. */
export const objectChanged = defineTopic({ name: 'object.changed', version: 1, schema: ObjectChanged })

const ObjectDeleted = z.object({
  /** as in the activity log, e.g. `VirtualDevice` */
  kind: z.string(),
  id: z.number(),
})

export type ObjectDeleted = z.infer<typeof ObjectDeleted>

/**
 * An object was deleted. Objects deleted with it (states of a twin, devices of an account) have no event of
 * their own.
 */
export const objectDeleted = defineTopic({ name: 'object.deleted', version: 1, schema: ObjectDeleted })
