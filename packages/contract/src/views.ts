import * as z from 'zod'
import { Done, Id, listOf, operation, Paging, pageOf, Time, Title, Version } from './common.ts'
import { may } from './permissions.ts'
import { DeviceFilters } from './virtualdevices.ts'

/** Maximum saved filters per user. */
export const viewsMax = 100

/**
 * A named filter of the device list: the draft of a smart group. Only the user who saved it sees it; the
 * devices it returns depend on the permissions of the caller.
 */
export const DeviceView = z.object({
  id: Id,
  title: Title,
  /** the account it is intended for */
  accountId: Id,
  accountName: z.string(),
  filter: DeviceFilters,
  createdAt: Time,
  updatedAt: Time,
  version: z.int(),
})
export type DeviceView = z.infer<typeof DeviceView>

const isNarrowing = (filter: DeviceFilters) => Object.values(filter).some((each) => each !== undefined)
const Filter = DeviceFilters.refine(isNarrowing, 'a filter has to name something')

const read = may('VirtualDevice', 'read', 'manage')
const tags = ['saved filters']

/**
 * Saved filters of the device list, separate for each user. Not available to programs with a key
 * (NO_PERMISSION).
 */
export const view = {
  /** By title; `tenantIds` filters by the accounts they are intended for. */
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/virtualdevice/views', tags, summary: 'Own saved filters' })
    .input(
      z.object({
        ...Paging,
        tenantIds: listOf(Id).optional(),
        /** a part of the title, or in double quotes all of it */
        search: z.string().max(200).optional(),
      }),
    )
    .output(pageOf(DeviceView)),
  /** DEVICE_VIEW_NOT_FOUND also if it belongs to another user. */
  get: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/virtualdevice/views/{id}', tags, summary: 'Read a saved filter' })
    .input(z.object({ id: Id }))
    .output(DeviceView),
  /**
   * Titles are unique per user, ignoring case (DEVICE_VIEW_ALREADY_EXISTS); a user may have 100
   * (DEVICE_VIEW_TOO_MANY).
   */
  create: operation
    .meta({ rule: read })
    .route({
      method: 'POST',
      path: '/virtualdevice/views',
      tags,
      summary: 'Save a filter',
      successStatus: 201,
    })
    .input(
      z.object({
        title: Title,
        filter: Filter,
        /** one in which the caller sees devices; default: the caller's own */
        accountId: Id.optional(),
      }),
    )
    .output(DeviceView),
  update: operation
    .meta({ rule: read })
    .route({ method: 'PUT', path: '/virtualdevice/views/{id}', tags, summary: 'Change a saved filter' })
    .input(z.object({ id: Id, version: Version, title: Title, filter: Filter }))
    .output(DeviceView),
  delete: operation
    .meta({ rule: read })
    .route({ method: 'DELETE', path: '/virtualdevice/views/{id}', tags, summary: 'Delete a saved filter' })
    .input(z.object({ id: Id }))
    .output(Done),
}
