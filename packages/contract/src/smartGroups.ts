import * as z from 'zod'
import { Done, Id, listOf, operation, Paging, pageOf, Text, Time, Title, Version } from './common.ts'
import { Health } from './health.ts'
import { may } from './permissions.ts'
import {
  deviceFilters,
  deviceIncludes,
  deviceOrder,
  OperationalStatus,
  VirtualDeviceSummary,
} from './virtualdevices.ts'

/** Maximum smart groups of an account. */
export const smartGroupsMax = 500
/** Hours and days of packets shown, the current one included. */
export const packetHours = 24
export const packetDays = 62
/** Drivers that the statistics of a group name: those with the most devices. */
export const groupDriversMax = 10

const { favorites: _, ...groupFilters } = deviceFilters
/**
 * The filter of a smart group: that of the device list without favourites, which each user has their own of.
 * Without `account_ids` it finds devices of the group's account only; with them, of these accounts, each the
 * group's own or one below it.
 */
export const SmartGroupFilter = z.strictObject(groupFilters)
export type SmartGroupFilter = z.infer<typeof SmartGroupFilter>

/**
 * How the number of packets a device should send is known: from its driver (`specs.packetsPerDay`), the same for all,
 * or as it usually sends.
 */
export const expectations = ['driver', 'number', 'learned'] as const

/**
 * Watches that every device of a group sends enough packets. A device is low once fewer than `threshold`
 * percent of the expected packets came in the last `windowHours` whole hours, and no longer with `threshold` +
 * `hysteresis` percent. Disabled devices, devices younger than the window, and those of which nothing is expected are not watched.
 */
export const PacketMonitoring = z
  .object({
    expected: z.enum(expectations),
    /** packets per day of each device; for `number` only */
    packetsPerDay: z.number().min(0.1).max(1_000_000).nullable().default(null),
    windowHours: z.int().min(1).max(168),
    threshold: z.int().min(1).max(100),
    hysteresis: z.int().min(0).max(100).default(0),
  })
  .refine(({ expected, packetsPerDay }) => expected !== 'number' || packetsPerDay !== null, {
    path: ['packetsPerDay'],
    message: 'packetsPerDay',
  })
  .refine(({ threshold, hysteresis }) => threshold + hysteresis <= 100, {
    path: ['hysteresis'],
    message: 'hysteresis',
  })
export type PacketMonitoring = z.infer<typeof PacketMonitoring>

/** A filter of devices that belongs to an account. Which devices it finds is decided at every call. */
export const SmartGroup = z.object({
  id: Id,
  title: Title,
  description: z.string(),
  accountId: Id,
  accountName: z.string(),
  filter: SmartGroupFilter,
  /** null: nobody watches how many packets come */
  monitoring: PacketMonitoring.nullable(),
  /** whether the caller may change and delete it */
  editable: z.boolean(),
  createdAt: Time,
  updatedAt: Time,
  version: z.int(),
})
export type SmartGroup = z.infer<typeof SmartGroup>

const GroupInput = {
  title: Title,
  description: Text.default(''),
  /** empty: all devices of the account */
  filter: SmartGroupFilter.default({}),
  monitoring: PacketMonitoring.nullable().default(null),
}

/** Packets that were received in a span of time. */
const Received = z.object({ time: Time, packets: z.int() })

/** Sums over the devices of a group that the caller may see. */
export const PacketStatistics = z.object({
  /** the last 24 hours, the current one last */
  hours: z.array(Received),
  /** the last 62 days of UTC, today last */
  days: z.array(Received),
  /** packets are counted from here on */
  since: Time,
  devices: z.int(),
  /** devices that sent something in the last 24 hours */
  active: z.int(),
  /** over the monitoring's window, else over 24 hours */
  windowHours: z.int(),
  received: z.int(),
  /** by the monitoring of the group, else as the devices usually send; null if nothing is known of any device */
  expected: z.number().nullable(),
  /** devices below the threshold; null without monitoring */
  low: z.int().nullable(),
})
export type PacketStatistics = z.infer<typeof PacketStatistics>

export const GroupDeviceStatistics = z.object({
  devices: z.int(),
  disabled: z.int(),
  neverSeen: z.int(),
  byHealth: z.array(z.object({ health: Health, count: z.int() })),
  byOperationalStatus: z.array(z.object({ status: OperationalStatus, count: z.int() })),
  /** the ten drivers with the most devices; `driverId` null: devices without one */
  byDriver: z.array(z.object({ driverId: Id.nullable(), title: z.string().nullable(), count: z.int() })),
})
export type GroupDeviceStatistics = z.infer<typeof GroupDeviceStatistics>

/** A device that sends less than its group expects. */
export const LowDevice = z.object({
  id: Id,
  title: z.string(),
  externalId: z.string(),
  received: z.int(),
  /** in the window */
  expected: z.number(),
  windowHours: z.int(),
  since: Time,
})
export type LowDevice = z.infer<typeof LowDevice>

const read = may('VirtualDevice', 'read', 'manage')
const manage = may('VirtualDevice', 'manage')
const tags = ['smart groups']
const base = '/virtualdevice/views'

/** Smart groups. What they find depends on the permissions of the caller. */
export const smartGroup = {
  /** Groups of the accounts whose devices the caller may read, by title. */
  list: operation
    .meta({ rule: read, reads: 'replica' })
    .route({ method: 'GET', path: base, tags, summary: 'Smart groups' })
    .input(
      z.object({
        ...Paging,
        tenantIds: listOf(Id).optional(),
        /** a part of title or description, an id, or in double quotes the whole title */
        search: z.string().max(200).optional(),
        /** only the caller's favourites */
        favorites: z.boolean().default(false),
        order_by: z.enum(['title', '-title', 'updatedAt', '-updatedAt']).default('title'),
      }),
    )
    .output(pageOf(SmartGroup)),
  get: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: `${base}/{id}`, tags, summary: 'Read a smart group' })
    .input(z.object({ id: Id }))
    .output(SmartGroup),
  /**
   * Titles are unique in an account, ignoring case (SMART_GROUP_ALREADY_EXISTS); an account may have 500
   * (SMART_GROUP_TOO_MANY). Accounts of the filter are the group's or below it (SMART_GROUP_FOREIGN_ACCOUNT).
   */
  create: operation
    .meta({ rule: manage })
    .route({ method: 'POST', path: base, tags, summary: 'Create a smart group', successStatus: 201 })
    .input(z.object({ ...GroupInput, accountId: Id }))
    .output(SmartGroup),
  update: operation
    .meta({ rule: manage })
    .route({ method: 'PUT', path: `${base}/{id}`, tags, summary: 'Change a smart group' })
    .input(z.object({ ...GroupInput, id: Id, version: Version }))
    .output(SmartGroup),
  /** SMART_GROUP_IN_USE while something uses it, with `count` and `items`, those the caller may see. */
  delete: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: `${base}/{id}`, tags, summary: 'Delete a smart group' })
    .input(z.object({ id: Id }))
    .output(Done),
  /** The devices of a group, as `GET /virtualdevice` lists them. */
  execute: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica', look: 'asks' })
    .route({ method: 'POST', path: `${base}/{id}/execute`, tags, summary: 'Devices of a smart group' })
    .input(
      z.object({
        ...Paging,
        ...deviceIncludes,
        id: Id,
        order_by: deviceOrder.default('title'),
        /** only those that have this text too, as in the device list */
        search: z.string().max(200).optional(),
      }),
    )
    .output(pageOf(VirtualDeviceSummary)),
  packetStatistics: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: `${base}/{id}/packet-statistics`,
      tags,
      summary: 'Packets of a smart group',
    })
    .input(z.object({ id: Id }))
    .output(PacketStatistics),
  deviceStatistics: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: `${base}/{id}/device-statistics`,
      tags,
      summary: 'Counts of the devices of a smart group',
    })
    .input(z.object({ id: Id }))
    .output(GroupDeviceStatistics),
  /** Devices below the threshold of a group's monitoring, those with the smallest share first. */
  lowDevices: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: `${base}/{id}/low-devices`,
      tags,
      summary: 'Devices that send too few packets',
    })
    .input(z.object({ ...Paging, id: Id }))
    .output(pageOf(LowDevice)),
}
