import * as z from 'zod'
import { Done, Id, listOf, operation, Paging, pageOf, Time, Title, Version } from './common.ts'
import { may } from './permissions.ts'
import { DeviceFilters } from './virtualdevices.ts'

/** Saved filters one user may have. */
export const viewsMax = 100

/**
 * A filter of the device list under a name: the draft of a smart group. It is seen by whoever saved it and nobody else;
 * which devices it finds is decided by the rights of who asks.
 */
export const DeviceView = z.object({
  id: Id,
  title: Title,
  /** the account it is meant for */
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

/** Saved filters of the device list, each user's own. Programs with a key have none (NO_PERMISSION). */
export const view = {
  /** By title; `tenantIds` are accounts they are meant for. */
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
  /** DEVICE_VIEW_NOT_FOUND also where it is somebody else's. */
  get: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/virtualdevice/views/{id}', tags, summary: 'Read a saved filter' })
    .input(z.object({ id: Id }))
    .output(DeviceView),
  /**
   * Titles are one's own only once, upper and lower case the same (DEVICE_VIEW_ALREADY_EXISTS); a user may have 100
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
        /** one the caller sees devices of; left out: the caller's own */
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
