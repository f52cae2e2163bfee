import * as z from 'zod'
import { Id, operation, Paging, pageOf } from './common.ts'
import { actions, may, subjects } from './permissions.ts'
import { Explanation, RoleName } from './roles.ts'

/** Those whose rights are looked into. An application has at most its own permissions, and never more than its user. */
export const insightKinds = ['user', 'apiKey', 'application'] as const
export type InsightKind = (typeof insightKinds)[number]

/** Whose rights. */
const Holder = { of: z.enum(insightKinds), id: Id }

export const insightLimits = { pageMax: 50, rolesMax: 20, giversMax: 10 } as const

/** An account, or a twin with a scope of its own, and what is allowed there. */
export const InsightNode = z.object({
  scopeId: Id,
  accountId: Id,
  /** null for an account */
  twinId: Id.nullable(),
  name: z.string(),
  hasChildren: z.boolean(),
  /** given on exactly this scope */
  rolesHere: z.array(RoleName),
  /** what is allowed here, e.g. `VirtualDevice.read` */
  permissions: z.array(z.string()),
})
export type InsightNode = z.infer<typeof InsightNode>

/** The answer to "may they do this there?". */
export const InsightAnswer = z.object({
  explanation: Explanation,
  /** if not allowed: roles that can be given in the scope and allow it, at most `insightLimits.rolesMax` */
  roles: z.array(RoleName),
  /** if not allowed: users who could give such a role there, as far as the caller sees them */
  givers: z.object({
    /** at most `insightLimits.giversMax` */
    items: z.array(z.object({ id: Id, username: z.string() })),
    total: z.int(),
  }),
})
export type InsightAnswer = z.infer<typeof InsightAnswer>

const seeUsers = may('UserManagement', 'read', 'manage')
const tags = ['roles']

/** What a user, a program with a key, or an application may do, where and why. */
export const insight = {
  /** The scopes below one, by name; those at the top of what the caller sees without `parentId`. */
  tree: operation
    .meta({ rule: seeUsers })
    .route({
      method: 'GET',
      path: '/acl/insight/tree',
      tags,
      summary: 'What somebody may do, scope by scope',
    })
    .input(
      z.object({
        ...Holder,
        parentId: Id.optional(),
        offset: Paging.offset,
        limit: z.int().min(1).max(insightLimits.pageMax).default(20),
      }),
    )
    .output(pageOf(InsightNode)),
  /** Every permission in a scope, with the line and role that decide it. */
  explain: operation
    .meta({ rule: seeUsers })
    .route({ method: 'GET', path: '/acl/insight', tags, summary: 'What somebody may do in a scope, and why' })
    .input(z.object({ ...Holder, scopeId: Id }))
    .output(z.object({ items: z.array(Explanation) })),
  /** Whether somebody may do something in a scope; if not, what is missing and who could give it. */
  ask: operation
    .meta({ rule: seeUsers })
    .route({ method: 'GET', path: '/acl/insight/ask', tags, summary: 'May somebody do this there?' })
    .input(z.object({ ...Holder, subject: z.enum(subjects), action: z.enum(actions), scopeId: Id }))
    .output(InsightAnswer),
}
