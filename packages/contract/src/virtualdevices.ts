import * as z from 'zod'
import { Preset, RemoteSystem } from './bridge.ts'
import {
  Done,
  Id,
  Json,
  jsonText,
  KeyValues,
  ListFile,
  ListFileInput,
  listOf,
  operation,
  orderBy,
  Paging,
  pageOf,
  Tags,
  Time,
  Version,
} from './common.ts'
import { Fault } from './errors.ts'
import { checkBounds, GeoBounds, GeoClusterId, latitude, longitude, MapPart } from './geo.ts'
import { GeoHistory, GeoHistoryInput } from './geoHistory.ts'
import { Health, healthCategories } from './health.ts'
import { may } from './permissions.ts'
import { AggregationMethod } from './series.ts'
import { stateSources } from './states.ts'
import { ChangedPosition, Dependencies, ObjectFields, ReferenceId } from './twins.ts'

/** 0 unset, 1 in transit, 2 ready for operation, 3 in operation, 4 temporarily inactive, 5 decommissioned. */
export const OperationalStatus = z.int().min(0).max(5)

export const DeviceDriver = z.object({
  id: Id,
  title: z.string(),
  manufacturer: z.string(),
  model: z.string(),
  /** the version that decodes its packets; null while none is published */
  version: z.int().nullable(),
})

export const VirtualDeviceSummary = z.object({
  id: Id,
  title: z.string(),
  icon: z.string().nullable(),
  accountId: Id,
  accountName: z.string(),
  scopeId: Id,
  parentId: Id.nullable(),
  parentTitle: z.string().nullable(),
  connectorId: Id,
  connectorName: z.string(),
  connectorKind: z.string(),
  /** how the connector parses messages; determines which external ids are possible */
  preset: Preset,
  /** the network server where the device can also be read and deleted */
  remote: RemoteSystem,
  /** external id in the connector; the DevEUI for LoRaWAN, upper case without separators */
  externalId: z.string(),
  driverId: Id.nullable(),
  driverTitle: z.string().nullable(),
  /** the device template it is linked to */
  templateId: Id.nullable(),
  templateTitle: z.string().nullable(),
  operationalStatus: OperationalStatus,
  health: Health,
  lastSeen: Time.nullable(),
  tags: z.array(z.string()),
  zones: z.array(z.string()),
  /** free-form group names of an account; a device may be in several */
  groups: z.array(z.string()),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  disabled: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
  /** with `include_identifiers` */
  referenceIds: z.array(ReferenceId).optional(),
  /** with `include_properties` */
  keyValues: KeyValues.optional(),
  description: z.string().optional(),
  address: z.string().optional(),
  floorNumber: z.int().nullable().optional(),
  /** with `include_drivers`; null without a driver */
  driver: DeviceDriver.nullable().optional(),
})
export type VirtualDeviceSummary = z.infer<typeof VirtualDeviceSummary>

/** A property that must be set on every device of a template. */
export const TemplateProperty = z.object({
  key: z.string().trim().min(1).max(100),
  /** for devices created without a value; empty: a value must be given */
  defaultValue: z.string().max(1000).default(''),
})
export type TemplateProperty = z.infer<typeof TemplateProperty>

export const VirtualDevice = VirtualDeviceSummary.extend({
  description: z.string(),
  address: z.string(),
  floorNumber: z.int().nullable(),
  floorName: z.string(),
  keyValues: KeyValues,
  referenceIds: z.array(ReferenceId),
  /** fixed driver version; null follows the published one */
  driverVersion: z.int().nullable(),
  packetCount: z.int(),
  lastError: Fault.nullable(),
  ancestors: z.array(z.object({ id: Id, title: z.string(), type: z.string() })),
  /** properties that its template requires; empty without a template */
  requiredProperties: z.array(TemplateProperty),
  editable: z.boolean(),
  version: z.int(),
})
export type VirtualDevice = z.infer<typeof VirtualDevice>

export const Packet = z.object({
  id: Id,
  receivedAt: Time,
  time: Time,
  fPort: z.int().nullable(),
  fCnt: z.int().nullable(),
  payload: z.string(),
  encoding: z.enum(['hex', 'json']),
  meta: z.record(z.string(), Json),
  variables: z.record(z.string(), Json).nullable(),
  error: Fault.nullable(),
  driverId: Id.nullable(),
  driverVersion: z.int().nullable(),
  durationUs: z.int(),
})
export type Packet = z.infer<typeof Packet>

const DeviceInput = {
  ...ObjectFields,
  externalId: z.string().trim().min(1).max(200),
  driverId: Id.nullable().default(null),
  driverVersion: z.int().min(1).nullable().default(null),
  operationalStatus: OperationalStatus.default(0),
  parentId: Id.nullable().default(null),
  /** left out: none for a new device, unchanged for another */
  groups: Tags.optional(),
  /**
   * published version of another account's driver that the account accepts in the name of the caller, if it
   * has not accepted the driver yet; left out: such a driver is refused (DEVICEDRIVER_NOT_ACCEPTED with `drivers`)
   */
  acceptDriver: z.int().min(1).optional(),
}

/**
 * Filters of a device list; several values of one filter are combined with or, different filters with and.
 */
export const deviceFilters = {
  /**
   * titles, external ids (partial from three characters on) and ids; several are combined by
   * `search_operator`
   */
  search_items: z
    .preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      z.array(z.string().max(200)).max(10),
    )
    .optional(),
  search_operator: z.enum(['and', 'or']).optional(),
  account_ids: listOf(Id).optional(),
  connector_ids: listOf(Id).optional(),
  /** kinds of connectors, e.g. `mqtt` */
  bridge_types: listOf(z.string().max(50)).optional(),
  driver_ids: listOf(Id).optional(),
  template_ids: listOf(Id).optional(),
  groups: listOf(z.string().max(100)).optional(),
  tags: listOf(z.string().max(100)).optional(),
  zones: listOf(z.string().max(100)).optional(),
  operational_status: listOf(OperationalStatus).optional(),
  health: listOf(Health).optional(),
  /** with a health problem of one of these categories that still exists */
  health_categories: listOf(z.enum(healthCategories)).optional(),
  /** last seen before now minus this many minutes, or never */
  last_seen_older_minutes: z.int().min(1).max(10_000_000).optional(),
  key_value: z.string().max(300).optional(),
  reference_id: z.string().max(300).optional(),
  parent_id: Id.optional(),
  disabled: z.boolean().optional(),
  favorites: z.boolean().optional(),
  ids: listOf(Id).optional(),
}

/** A set of filters under the same names, as JSON; as text in a URL. */
export const DeviceFilters = z.strictObject(deviceFilters)
export type DeviceFilters = z.infer<typeof DeviceFilters>

/** Parameters that select devices. A parameter given both directly and in `filters` uses the direct value. */
const selection = {
  ...deviceFilters,
  filters: jsonText(DeviceFilters).optional(),
  /** the caller's own id; others are refused */
  user_id: Id.optional(),
  /** only devices of these scopes and the scopes below them */
  scope_ids: listOf(Id).optional(),
  /** `no_descendents`: of `scope_ids` themselves, not below */
  options: listOf(z.enum(['no_descendents'])).optional(),
  /** only devices the caller may change */
  restricted_query: z.boolean().default(false),
}

/** Orders of a device list. */
export const deviceOrder = orderBy([
  'title',
  'externalId',
  'lastSeen',
  'health',
  'operationalStatus',
  'createdAt',
  'updatedAt',
  'id',
])

/** Optional parts of the rows of a device list. */
export const deviceIncludes = {
  include_identifiers: z.boolean().default(false),
  include_properties: z.boolean().default(false),
  include_drivers: z.boolean().default(false),
}

/** Maximum rows of a file of devices, unless the account has a lower limit. */
export const deviceFileRowsMax = 100_000

export const deviceFileColumns = [
  'id',
  'title',
  'externalId',
  'account',
  'connector',
  'bridgeType',
  'driver',
  'template',
  'operationalStatus',
  'health',
  'lastSeen',
  'disabled',
  'parent',
  'groups',
  'tags',
  'zones',
  'address',
  'floorNumber',
  'latitude',
  'longitude',
  'referenceIds',
  'keyValues',
  'description',
  'createdAt',
  'updatedAt',
] as const
export const DeviceFileColumn = z.enum(deviceFileColumns)
export type DeviceFileColumn = z.infer<typeof DeviceFileColumn>

/** A device on a map. */
export const GeoPlace = z.object({
  id: Id,
  title: z.string(),
  externalId: z.string(),
  health: Health,
  latitude,
  longitude,
})
export type GeoPlace = z.infer<typeof GeoPlace>

export const GeoCluster = z.object({
  id: GeoClusterId,
  /** centre of its devices */
  latitude,
  longitude,
  count: z.int(),
  /** worst health of its devices, in the order error, invalid, warning, unknown, ok */
  health: Health,
  /** of the oldest of its devices */
  title: z.string(),
  /** set if the cluster has only one device */
  device: GeoPlace.nullable(),
})
export type GeoCluster = z.infer<typeof GeoCluster>

/** From this many devices with a position, a map should request clusters. */
export const clustersFrom = 1_000

/** A state elsewhere that is computed from a state of a device. */
export const DataRoute = z.object({
  sourceStateId: Id,
  sourceKey: z.string(),
  sourceTitle: z.string(),
  stateId: Id,
  key: z.string(),
  title: z.string(),
  source: z.enum(stateSources),
  method: AggregationMethod,
  /** number of states it is computed from, including this one */
  sourceCount: z.int(),
  twinId: Id,
  twinTitle: z.string(),
  category: z.enum(['digitalTwin', 'virtualDevice']),
  /** whether the caller may change the fed state */
  editable: z.boolean(),
})
export type DataRoute = z.infer<typeof DataRoute>

const FedState = z.object({
  id: Id,
  key: z.string(),
  title: z.string(),
  /** time of its last value; null while there is none */
  time: Time.nullable(),
})

/** Effects of a different driver on the states fed by packets of a device. */
export const DriverChange = z.object({
  /** the driver lacks their variables: they are deleted with their history */
  deleted: z.array(FedState),
  /** the driver lacks their variables, but something uses them: they stay without new values */
  kept: z.array(FedState),
  /** the driver gives their variables another type: they keep their history but lose the current value */
  retyped: z.array(FedState),
  /** what uses the remaining states, as far as the caller may see it */
  uses: Dependencies.omit({ blocking: true }),
})
export type DriverChange = z.infer<typeof DriverChange>

const period = {
  start: Time,
  end: Time,
  /** equal steps between start and end */
  steps: z.int().min(1).max(100).default(30),
}
const isForward = ({ start, end }: { start: string; end: string }) => Date.parse(start) < Date.parse(end)
const wrongPeriod = { message: 'start and end belong together, start comes first', path: ['end'] }

/** Maximum connectors and accounts with a growth series of their own: those with the most devices. */
export const growthSeriesMax = 20

/**
 * How many of today's devices existed at the start and at the end of each step. Devices deleted since then
 * are not counted.
 */
export const DeviceGrowth = z.object({
  times: z.array(Time),
  total: z.array(z.int()),
  byConnector: z.array(z.object({ connectorId: Id, name: z.string(), counts: z.array(z.int()) })),
  byAccount: z.array(z.object({ accountId: Id, name: z.string(), counts: z.array(z.int()) })),
})
export type DeviceGrowth = z.infer<typeof DeviceGrowth>

export const DeviceStatistics = z.object({
  total: z.int(),
  byHealth: z.array(z.object({ health: Health, count: z.int() })),
  byConnector: z.array(z.object({ connectorId: Id, name: z.string(), count: z.int() })),
  neverSeen: z.int(),
  growth: DeviceGrowth.optional(),
})

const read = may('VirtualDevice', 'read', 'manage')
const write = may('VirtualDevice', 'write', 'manage')

export const virtualdevice = {
  /**
   * Virtual devices of the caller's scopes. Parameter names follow the specification; search and text filters
   * match substrings, or the whole text when it is in double quotes. `include_…` adds reference ids,
   * properties and drivers to the rows; `ids_only` leaves the rows out.
   */
  list: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({ method: 'GET', path: '/virtualdevice', tags: ['virtual devices'], summary: 'Virtual devices' })
    .input(
      z.object({
        ...Paging,
        ...selection,
        ...deviceIncludes,
        order_by: deviceOrder.default('title'),
        ids_only: z.boolean().default(false),
      }),
    )
    .output(pageOf(VirtualDeviceSummary).extend({ ids: z.array(Id).optional() })),
  /**
   * The list as a file in the same order, streamed. Limited by the account's CSV limit, else to 100 000 devices. Texts that a
   * spreadsheet would execute are escaped.
   */
  exportFile: operation
    .meta({ rule: read, clientTimeoutMs: 210_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/virtualdevice/file',
      tags: ['virtual devices'],
      summary: 'Virtual devices as a file',
      outputStructure: 'detailed',
    })
    .input(
      z.object({
        ...selection,
        order_by: deviceOrder.default('title'),
        /** default: all columns */
        columns: listOf(DeviceFileColumn).optional(),
        ...ListFileInput,
      }),
    )
    .output(ListFile),
  /** The group names in use, separately for each account; at most 1 000. */
  groups: operation
    .meta({ rule: read, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/virtualdevice/groups',
      tags: ['virtual devices'],
      summary: 'Groups in use',
    })
    .input(z.object({ account_ids: listOf(Id).optional() }))
    .output(z.object({ items: z.array(z.object({ accountId: Id, name: z.string(), count: z.int() })) })),
  /** The number of devices with a position, and whether a map should request clusters. */
  geoClusterCheck: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/virtualdevice/geo-cluster-check',
      tags: ['virtual devices'],
      summary: 'Whether a map needs clusters',
    })
    .input(z.object(selection))
    .output(z.object({ total: z.int(), placed: z.int(), needsClusters: z.boolean() })),
  /** The bounding box of the devices; null when none has a position. */
  geoMetaInfos: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/virtualdevice/geo-meta-infos',
      tags: ['virtual devices'],
      summary: 'Extent of the devices',
    })
    .input(z.object(selection))
    .output(z.object({ total: z.int(), placed: z.int(), bounds: GeoBounds.nullable() })),
  /**
   * Devices in a map area, with neighbours combined into clusters: in squares of `distance` pixels at this
   * zoom (0 shows the world in 512 pixels). At most 2 000 clusters, the largest first.
   */
  geoClusters: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/virtualdevice/geo-clusters',
      tags: ['virtual devices'],
      summary: 'Devices on a map',
    })
    .input(z.object({ ...selection, ...MapPart }).superRefine(checkBounds))
    .output(z.object({ items: z.array(GeoCluster), more: z.boolean() })),
  /** The devices of a cluster, by title, and their bounding box. */
  geoClusterBreakOpen: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/virtualdevice/geo-clusters/break-open/{id}',
      tags: ['virtual devices'],
      summary: 'Devices of a cluster',
    })
    .input(z.object({ ...Paging, ...selection, id: GeoClusterId }))
    .output(pageOf(GeoPlace).extend({ bounds: GeoBounds.nullable() })),
  /** Devices whose connector is of this kind, by title. */
  fetchByBridgeType: operation
    .meta({ rule: read, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/virtualdevice/fetchByBridgeType/{type}',
      tags: ['virtual devices'],
      summary: 'Devices by kind of connector',
    })
    .input(z.object({ ...Paging, type: z.string().min(1).max(50) }))
    .output(pageOf(VirtualDeviceSummary)),
  tagsZones: operation
    .meta({ rule: read, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/virtualdevice/tags-zones',
      tags: ['virtual devices'],
      summary: 'Tags and zones in use',
    })
    .output(z.object({ tags: z.array(z.string()), zones: z.array(z.string()) })),
  /**
   * `bare`: without its parent twins, `ancestors` is empty then. `no_descendents`: nothing below it; a device
   * has nothing below it, so this changes nothing.
   */
  get: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}',
      tags: ['virtual devices'],
      summary: 'Read a virtual device',
    })
    .input(z.object({ id: Id, options: listOf(z.enum(['bare', 'no_descendents'])).optional() }))
    .output(VirtualDevice),
  /**
   * Its states are created from the driver's variables and, as packets arrive, from new variables. With a
   * template it gets the template's driver (send none, or the same one), states, rules and health; connector
   * and account must match the template (DEVICE_TEMPLATE_MISMATCH with `field`), and required properties that
   * are not given get their default (DEVICE_TEMPLATE_PROPERTY_MISSING with `keys`).
   */
  create: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/virtualdevice',
      tags: ['virtual devices'],
      summary: 'Create a virtual device',
      successStatus: 201,
    })
    .input(z.object({ ...DeviceInput, connectorId: Id, templateId: Id.nullable().default(null) }))
    .output(VirtualDevice),
  /**
   * Changing the driver deletes the states of variables that the new driver lacks, with their history, except
   * those used elsewhere (`driverChange` lists them). A driver without named variables, no driver, and
   * another version of the same driver delete nothing. With `templateId: null` it leaves its template first,
   * as by `unlinkTemplate`, and keeps what the template brought unless it is changed here.
   */
  update: operation
    .meta({ rule: write })
    .route({
      method: 'PUT',
      path: '/virtualdevice/{id}',
      tags: ['virtual devices'],
      summary: 'Change a virtual device',
    })
    .input(
      z.object({
        ...DeviceInput,
        ...ChangedPosition,
        id: Id,
        version: Version,
        /** absent: unchanged; only `linkTemplate` links to a template */
        templateId: Id.nullable().optional(),
      }),
    )
    .output(VirtualDevice),
  /**
   * What `update` with this driver would do to the states of a device. Throws DEVICEDRIVER_NOT_FOUND like
   * `update`.
   */
  driverChange: operation
    .meta({ rule: write })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}/driver-change',
      tags: ['virtual devices'],
      summary: 'What another driver does to the states',
    })
    .input(z.object({ id: Id, driverId: Id.optional(), driverVersion: z.int().min(1).optional() }))
    .output(DriverChange),
  setDisabled: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/virtualdevice/{id}/disabled/{flag}',
      tags: ['virtual devices'],
      summary: 'Disable or enable',
    })
    .input(z.object({ id: Id, flag: z.boolean() }))
    .output(VirtualDevice),
  /**
   * Refused with VDEVICE_DELETE_STATES_AGGREGATED while its states are aggregated elsewhere. With
   * `delete_remotely` it is first deleted at its network server, and kept here if that fails; a device
   * already gone there counts as deleted.
   */
  delete: operation
    .meta({ rule: write, clientTimeoutMs: 30_000 })
    .route({
      method: 'DELETE',
      path: '/virtualdevice/{id}',
      tags: ['virtual devices'],
      summary: 'Delete a virtual device',
    })
    .input(z.object({ id: Id, delete_remotely: z.boolean().default(false) }))
    .output(Done),
  dependencies: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}/dependencies',
      tags: ['virtual devices'],
      summary: 'Dependencies of a device',
    })
    .input(z.object({ id: Id }))
    .output(Dependencies),
  /**
   * Packets, newest first. `before` and `beforeId` (time of reception and id of the last packet of a page)
   * continue the list; without the id, packets received in the same millisecond are skipped.
   */
  packets: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}/packets',
      tags: ['virtual devices'],
      summary: 'Packets of a device',
    })
    .input(
      z.object({
        id: Id,
        limit: z.int().min(1).max(100).default(20),
        before: Time.optional(),
        beforeId: Id.optional(),
        errorsOnly: z.boolean().default(false),
      }),
    )
    .output(z.object({ items: z.array(Packet), more: z.boolean() })),
  /**
   * The states of twins (and of other devices) that the states of a device feed. A route is created by
   * creating or changing the fed state, see `state`. `hidden`: number of fed states the caller may not see.
   */
  dataRoutes: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}/data-routes',
      tags: ['virtual devices'],
      summary: 'Where the values of a device go',
    })
    .input(z.object({ ...Paging, id: Id }))
    .output(pageOf(DataRoute).extend({ hidden: z.int() })),
  /** Where a device was, see `GeoHistory`. */
  geoHistory: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}/geo-history',
      tags: ['virtual devices'],
      summary: 'Where a device was',
    })
    .input(GeoHistoryInput)
    .output(GeoHistory),
  /** Counts for the header of the list; with a period also the growth of the number of devices. */
  statistics: operation
    .meta({ rule: read, reads: 'replica', look: 'asks' })
    .route({
      method: 'POST',
      path: '/virtualdevice/statistics',
      tags: ['virtual devices'],
      summary: 'Counts by health and connector, and growth',
    })
    .input(
      z.object({
        account_ids: z.array(Id).max(1000).optional(),
        period: z.object(period).refine(isForward, wrongPeriod).optional(),
      }),
    )
    .output(DeviceStatistics),
  /** The same for one account, over the last 90 days unless start and end are given. */
  accountStatistics: operation
    .meta({ rule: read, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/virtualdevice/statistics/{id}',
      tags: ['virtual devices'],
      summary: 'Counts and growth of an account',
    })
    .input(
      z
        .object({ id: Id, start: Time.optional(), end: Time.optional(), steps: period.steps })
        .refine(
          ({ start, end }) => start === end || (start && end && isForward({ start, end })),
          wrongPeriod,
        ),
    )
    .output(DeviceStatistics),
}
