import * as z from 'zod'
import { Id, operation, Time } from './common.ts'
import { may } from './permissions.ts'

/** What an account can switch on, and never off again. */
export const integrationKeys = ['timeSeries'] as const
export type IntegrationKey = (typeof integrationKeys)[number]

/** An integration in an account. */
export const AccountIntegration = z.object({
  integration: z.enum(integrationKeys),
  /** whether it holds here: activated in this account or in one above */
  active: z.boolean(),
  /** since when it holds; null as long as it does not */
  since: Time.nullable(),
  /** who activated it; null also when that was done in an account the caller does not administer */
  by: z.string().nullable(),
  /** activated in an account above; `name` is empty when the caller does not administer that account */
  from: z.object({ name: z.string() }).nullable(),
})
export type AccountIntegration = z.infer<typeof AccountIntegration>

const manageAll = may('all', 'manage')

export const integrations = {
  /** What an account has activated, itself or by those above it. */
  listIntegrations: operation
    .meta({ rule: manageAll })
    .route({
      method: 'GET',
      path: '/tenant/{id}/integrations',
      tags: ['accounts'],
      summary: 'Integrations of an account',
    })
    .input(z.object({ id: Id }))
    .output(z.object({ items: z.array(AccountIntegration) })),
  /**
   * Activates an integration in an account and all below it, for ever: no operation takes it back. `name` is the name of
   * the account, typed by whoever does it. One that holds already is answered with INTEGRATION_ACTIVE.
   */
  activateIntegration: operation
    .meta({ rule: manageAll })
    .route({
      method: 'POST',
      path: '/tenant/{id}/integrations',
      tags: ['accounts'],
      summary: 'Activate an integration for ever',
    })
    .input(z.object({ id: Id, integration: z.enum(integrationKeys), name: z.string().max(200) }))
    .output(AccountIntegration),
}
