import * as z from 'zod'
import { Done, Id, operation, Paging, pageOf, Text, Title, Version, WebAddress } from './common.ts'
import { may } from './permissions.ts'

/** Service builders an account may have. */
export const serviceBuildersMax = 50

export const ServiceBuilderInput = z.object({
  title: Title,
  description: Text.default(''),
  /** where it begins to sign users in */
  url: WebAddress,
  /** the application it signs users in with, of the account or of one above; null: not set up yet */
  applicationId: Id.nullable().default(null),
})

/** An instance of the IoT service builder. Users open it in their browser; it signs them in through OAuth 2. */
export const ServiceBuilder = z.object({
  id: Id,
  accountId: Id,
  title: z.string(),
  description: z.string(),
  url: z.string(),
  application: z.object({ id: Id, title: z.string() }).nullable(),
  version: z.int(),
})
export type ServiceBuilder = z.infer<typeof ServiceBuilder>

const manageSystem = may('super.system', 'manage')
const tags = ['accounts']
const path = '/tenant/{id}/service-builders'
const onePath = '/tenant/{id}/service-builders/{builderId}'

/** Service builders of accounts; only administrators of the installation change them. */
export const serviceBuilder = {
  list: operation
    .meta({ rule: may('all', 'manage') })
    .route({ method: 'GET', path, tags, summary: 'Service builders of an account' })
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(ServiceBuilder)),
  create: operation
    .meta({ rule: manageSystem })
    .route({ method: 'POST', path, tags, summary: 'Add a service builder', successStatus: 201 })
    .input(ServiceBuilderInput.extend({ id: Id }))
    .output(ServiceBuilder),
  update: operation
    .meta({ rule: manageSystem })
    .route({ method: 'PUT', path: onePath, tags, summary: 'Change a service builder' })
    .input(ServiceBuilderInput.extend({ id: Id, builderId: Id, version: Version }))
    .output(ServiceBuilder),
  delete: operation
    .meta({ rule: manageSystem })
    .route({ method: 'DELETE', path: onePath, tags, summary: 'Delete a service builder' })
    .input(z.object({ id: Id, builderId: Id }))
    .output(Done),
}
