import * as z from 'zod'
import { Done, Id, listOf, operation, Paging, pageOf, Time, Title, Version } from './common.ts'
import { readOverview, StateFilter } from './overview.ts'
import { type AccessRule, may } from './permissions.ts'
import { TwinFilters } from './twins.ts'
import { DeviceFilters } from './virtualdevices.ts'

/** Maximum saved filters per user, for each list. */
export const viewsMax = 100

/** The lists whose filters can be saved. */
export const viewKinds = ['devices', 'states', 'twins'] as const
export type ViewKind = (typeof viewKinds)[number]

/**
 * A named filter of a list. Its result depends on the permissions of the caller. Only the user who saved it sees
 * it, unless it is shared: then all users of its account do.
 */
function viewWith<Filter extends z.ZodType>(filter: Filter) {
  return z.object({
    id: Id,
    title: Title,
    /** the account it is intended for */
    accountId: Id,
    accountName: z.string(),
    filter,
    /** with the users whose account is that of the filter */
    shared: z.boolean(),
    /** saved by the caller, who alone can change it */
    own: z.boolean(),
    ownerName: z.string(),
    createdAt: Time,
    updatedAt: Time,
    version: z.int(),
  })
}

export const DeviceView = viewWith(DeviceFilters)
/** A named filter of the device list, of a user; those of accounts are smart groups. */
export type DeviceView = z.infer<typeof DeviceView>

/** Search and filter of the states overview. */
export const StateViewFilter = z.object({
  search: z.string().max(200).optional(),
  filter: StateFilter.optional(),
})
export type StateViewFilter = z.infer<typeof StateViewFilter>
export const StateView = viewWith(StateViewFilter)
/** A named filter of the overview of states. */
export type StateView = z.infer<typeof StateView>

export const TwinView = viewWith(TwinFilters)
/** A named filter of the list of twins. */
export type TwinView = z.infer<typeof TwinView>

const isNarrowing = (filter: object) => Object.values(filter).some((each) => each !== undefined)

/** Operations of the saved filters of one list. Not available to programs with a key (NO_PERMISSION). */
function viewOperations<Filter extends z.ZodType<object>>(list: {
  rule: AccessRule
  path: `/${string}`
  filter: Filter
}) {
  const { rule, path } = list
  const tags = ['saved filters']
  const View = viewWith(list.filter)
  const Filter = list.filter.refine(isNarrowing, 'a filter has to name something')
  return {
    /** Own ones and those shared in the caller's account, by title; `tenantIds` filters by their accounts. */
    list: operation
      .meta({ rule })
      .route({ method: 'GET', path, tags, summary: 'Saved filters' })
      .input(
        z.object({
          ...Paging,
          tenantIds: listOf(Id).optional(),
          /** a part of the title, or in double quotes all of it */
          search: z.string().max(200).optional(),
        }),
      )
      .output(pageOf(View)),
    /** DEVICE_VIEW_NOT_FOUND also if it belongs to another user and is not shared. */
    get: operation
      .meta({ rule })
      .route({ method: 'GET', path: `${path}/{id}`, tags, summary: 'Read a saved filter' })
      .input(z.object({ id: Id }))
      .output(View),
    /**
     * Titles are unique per user, ignoring case (DEVICE_VIEW_ALREADY_EXISTS); a user may have 100
     * (DEVICE_VIEW_TOO_MANY).
     */
    create: operation
      .meta({ rule })
      .route({ method: 'POST', path, tags, summary: 'Save a filter', successStatus: 201 })
      .input(
        z.object({
          title: Title,
          filter: Filter,
          /** one in which the caller sees devices or twins; default: the caller's own */
          accountId: Id.optional(),
          shared: z.boolean().default(false),
        }),
      )
      .output(View),
    update: operation
      .meta({ rule })
      .route({ method: 'PUT', path: `${path}/{id}`, tags, summary: 'Change a saved filter' })
      .input(
        z.object({
          id: Id,
          version: Version,
          title: Title,
          filter: Filter,
          /** absent: unchanged */
          shared: z.boolean().optional(),
        }),
      )
      .output(View),
    delete: operation
      .meta({ rule })
      .route({ method: 'DELETE', path: `${path}/{id}`, tags, summary: 'Delete a saved filter' })
      .input(z.object({ id: Id }))
      .output(Done),
  }
}

/** Saved filters of the device list. */
export const view = viewOperations({
  rule: may('VirtualDevice', 'read', 'manage'),
  path: '/virtualdevice/saved-filters',
  filter: DeviceFilters,
})

/** Saved filters of the overview of states. */
export const stateView = viewOperations({
  rule: readOverview,
  path: '/digitaltwin/states/views',
  filter: StateViewFilter,
})

/** Saved filters of the list of twins. */
export const twinView = viewOperations({
  rule: may('DigitalTwin', 'read', 'list'),
  path: '/digitaltwin/views',
  filter: TwinFilters,
})
