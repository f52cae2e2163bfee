import * as z from 'zod'
import { Id, operation, Time } from './common.ts'
import { may } from './permissions.ts'

/** Integrations that an account can activate. Activation is permanent. */
export const integrationKeys = ['timeSeries', 'dashboardInstance'] as const
export type IntegrationKey = (typeof integrationKeys)[number]

/** An integration in an account. */
export const AccountIntegration = z.object({
  integration: z.enum(integrationKeys),
  /** whether it is active here: activated in this account or in one above */
  active: z.boolean(),
  /** when it became active; null while it is not */
  since: Time.nullable(),
  /** the user who activated it; null also if that was in an account the caller does not administer */
  by: z.string().nullable(),
  /** activated in an account above; `name` is empty when the caller does not administer that account */
  from: z.object({ name: z.string() }).nullable(),
})
export type AccountIntegration = z.infer<typeof AccountIntegration>

const manageAll = may('all', 'manage')

export const integrations = {
  /** Integrations of an account, activated there or in accounts above. */
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
   * Activates an integration in an account and all below it, permanently: no operation undoes it. `name` is
   * the name of the account, typed in by the user as a confirmation. INTEGRATION_ACTIVE if it is already
   * active.
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
