import * as z from 'zod'
import { BulkTitle, ImportSettings } from './bulk.ts'
import { Id, limits, operation, pageOf, Time } from './common.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'
import { VirtualDevice } from './virtualdevices.ts'

export const remoteLimits = {
  /** maximum devices of one page, and of a selection */
  pageMax: 100,
  /** total time for a call that queries the network server */
  timeoutMs: 30_000,
} as const

/** A device as stored on the network server behind a connector. */
export const RemoteDevice = z.object({
  /** its id there: the device id of The Things Stack, the DevEUI of ChirpStack */
  remoteId: z.string(),
  /** its external id here: its DevEUI, else its device id */
  externalId: z.string(),
  name: z.string(),
  description: z.string(),
  /** last uplink according to the network server */
  lastSeen: Time.nullable(),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
})
export type RemoteDevice = z.infer<typeof RemoteDevice>

/** Whether the connector already has a device for it. */
export const ListedRemoteDevice = RemoteDevice.extend({
  known: z.boolean(),
  /** the device here; null when there is none or the caller cannot see it */
  deviceId: Id.nullable(),
})
export type ListedRemoteDevice = z.infer<typeof ListedRemoteDevice>

/**
 * The selected devices, by remote id, or all matches of a search; devices that already exist here are left
 * out.
 */
export const RemoteSelection = z.union([
  z.strictObject({ remoteIds: z.array(z.string().min(1).max(100)).min(1).max(remoteLimits.pageMax) }),
  z.strictObject({ search: z.string().trim().max(100) }),
])
export type RemoteSelection = z.infer<typeof RemoteSelection>

/** Fields that can be taken from the network server. */
export const remoteFields = ['title', 'description', 'position'] as const
export const RemoteField = z.enum(remoteFields)
export type RemoteField = z.infer<typeof RemoteField>

const write = may('VirtualDevice', 'write', 'manage')

export const remoteOfBridge = {
  /**
   * Devices of the network server behind a connector, by remote id. REMOTE_NOT_SUPPORTED if the connector has
   * no access to one. The offset is a multiple of the limit.
   */
  devices: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'GET',
      path: '/bridge/configs/{id}/remote-devices',
      tags: ['connectors'],
      summary: 'Devices of the network server',
    })
    .input(
      z
        .object({
          id: Id,
          offset: z.int().min(0).max(1_000_000).default(0),
          limit: z.int().min(1).max(remoteLimits.pageMax).default(limits.pageDefault),
          search: z.string().trim().max(100).default(''),
        })
        .refine(({ offset, limit }) => offset % limit === 0, {
          message: 'a multiple of the limit',
          path: ['offset'],
        }),
    )
    .output(pageOf(ListedRemoteDevice)),
}

export const remoteOfBulk = {
  /**
   * Creates devices of the network server as a background job, with their names, descriptions and positions.
   * Existing ones are left out; if none are left: REMOTE_NOTHING_NEW.
   */
  import: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/background-runners/virtualdevice-bulk-import/remote',
      tags: ['virtual devices'],
      summary: 'Create devices of the network server',
      successStatus: 201,
    })
    .input(
      z.object({
        title: BulkTitle,
        selection: RemoteSelection,
        ...ImportSettings.omit({ columns: true }).shape,
      }),
    )
    .output(BackgroundJob),
}

export const remoteOfDevice = {
  /**
   * Reads the device from its network server again. Description and position are copied if they are empty
   * here; other differences are reported, and copied if `take` lists the field. REMOTE_DEVICE_NOT_FOUND when
   * it is not there.
   */
  synchronize: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/virtualdevice/{id}/synchronize',
      tags: ['virtual devices'],
      summary: 'Compare with the network server',
    })
    .input(z.object({ id: Id, take: z.array(RemoteField).max(remoteFields.length).default([]) }))
    .output(
      z.object({
        device: VirtualDevice,
        remote: RemoteDevice,
        taken: z.array(RemoteField),
        /** fields that differ there and were not copied */
        differences: z.array(RemoteField),
      }),
    ),
}
