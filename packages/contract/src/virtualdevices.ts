import * as z from 'zod'
import {
  Done,
  Id,
  Json,
  KeyValues,
  listOf,
  operation,
  orderBy,
  Paging,
  pageOf,
  Time,
  Version,
} from './common.ts'
import { Health } from './health.ts'
import { may } from './permissions.ts'
import { Dependencies, ObjectFields, ReferenceId } from './twins.ts'

/** 0 unset, 1 in transit, 2 ready for operation, 3 in operation, 4 temporarily inactive, 5 decommissioned. */
export const OperationalStatus = z.int().min(0).max(5)

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
  /** external id in the connector; the DevEUI for LoRaWAN, upper case without separators */
  externalId: z.string(),
  driverId: Id.nullable(),
  driverTitle: z.string().nullable(),
  operationalStatus: OperationalStatus,
  health: Health,
  lastSeen: Time.nullable(),
  tags: z.array(z.string()),
  zones: z.array(z.string()),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  disabled: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
})
export type VirtualDeviceSummary = z.infer<typeof VirtualDeviceSummary>

export const VirtualDevice = VirtualDeviceSummary.extend({
  description: z.string(),
  address: z.string(),
  floorNumber: z.int().nullable(),
  keyValues: KeyValues,
  referenceIds: z.array(ReferenceId),
  /** fixed driver version; null follows the published one */
  driverVersion: z.int().nullable(),
  packetCount: z.int(),
  lastError: z.object({ code: z.string(), message: z.string() }).nullable(),
  ancestors: z.array(z.object({ id: Id, title: z.string(), type: z.string() })),
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
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
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
}

const read = may('VirtualDevice', 'read', 'manage')
const write = may('VirtualDevice', 'write', 'manage')

export const virtualdevice = {
  /**
   * Virtual devices of the caller's scopes. Names of the parameters are those of the specification;
   * search and text filters match a part of the text, exactly what stands in double quotes.
   */
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/virtualdevice', tags: ['virtual devices'], summary: 'Virtual devices' })
    .input(
      z.object({
        ...Paging,
        /** title, external id (in part from three characters on), id */
        search_items: z.string().max(200).optional(),
        account_ids: listOf(Id).optional(),
        connector_ids: listOf(Id).optional(),
        driver_ids: listOf(Id).optional(),
        tags: listOf(z.string().max(100)).optional(),
        zones: listOf(z.string().max(100)).optional(),
        operational_status: listOf(OperationalStatus).optional(),
        health: listOf(Health).optional(),
        /** last seen before now minus this many minutes, or never */
        last_seen_older_minutes: z.int().min(1).max(10_000_000).optional(),
        key_value: z.string().max(300).optional(),
        reference_id: z.string().max(300).optional(),
        parent_id: Id.optional(),
        disabled: z.boolean().optional(),
        favorites: z.boolean().default(false),
        ids: listOf(Id).optional(),
        order_by: orderBy([
          'title',
          'externalId',
          'lastSeen',
          'health',
          'operationalStatus',
          'createdAt',
          'updatedAt',
          'id',
        ]).default('title'),
        ids_only: z.boolean().default(false),
      }),
    )
    .output(pageOf(VirtualDeviceSummary).extend({ ids: z.array(Id).optional() })),
  tagsZones: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/tags-zones',
      tags: ['virtual devices'],
      summary: 'Tags and zones in use',
    })
    .output(z.object({ tags: z.array(z.string()), zones: z.array(z.string()) })),
  get: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}',
      tags: ['virtual devices'],
      summary: 'Read a virtual device',
    })
    .input(z.object({ id: Id }))
    .output(VirtualDevice),
  /** Its states are created from the driver's variables and, as packets arrive, from variables not yet known. */
  create: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/virtualdevice',
      tags: ['virtual devices'],
      summary: 'Create a virtual device',
      successStatus: 201,
    })
    .input(z.object({ ...DeviceInput, connectorId: Id }))
    .output(VirtualDevice),
  update: operation
    .meta({ rule: write })
    .route({
      method: 'PUT',
      path: '/virtualdevice/{id}',
      tags: ['virtual devices'],
      summary: 'Change a virtual device',
    })
    .input(z.object({ ...DeviceInput, id: Id, version: Version }))
    .output(VirtualDevice),
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
  /** Refused with VDEVICE_DELETE_STATES_AGGREGATED while its states are aggregated elsewhere. */
  delete: operation
    .meta({ rule: write })
    .route({
      method: 'DELETE',
      path: '/virtualdevice/{id}',
      tags: ['virtual devices'],
      summary: 'Delete a virtual device',
    })
    .input(z.object({ id: Id }))
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
   * Packets, newest first. `before` and `beforeId` (time of reception and id of the last one seen) page on; without the
   * id, packets received in the same millisecond as that one are skipped.
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
  /** Counts for the header of the list. */
  statistics: operation
    .meta({ rule: read })
    .route({
      method: 'POST',
      path: '/virtualdevice/statistics',
      tags: ['virtual devices'],
      summary: 'Counts by health and connector',
    })
    .input(z.object({ account_ids: z.array(Id).max(1000).optional() }))
    .output(
      z.object({
        total: z.int(),
        byHealth: z.array(z.object({ health: Health, count: z.int() })),
        byConnector: z.array(z.object({ connectorId: Id, name: z.string(), count: z.int() })),
        neverSeen: z.int(),
      }),
    ),
}
