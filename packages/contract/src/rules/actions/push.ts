import * as z from 'zod'
import { Id } from '../../common.ts'

/** Shows a message in the browsers of users. Texts may contain placeholders. */
export const PushAction = z.object({
  kind: z.literal('push'),
  userIds: z.array(Id).min(1).max(50),
  title: z.string().trim().min(1).max(100),
  body: z.string().max(500).default(''),
})
export type PushAction = z.infer<typeof PushAction>
