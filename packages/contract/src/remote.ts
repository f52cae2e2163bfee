import * as z from 'zod'
import { BulkTitle, ImportSettings } from './bulk.ts'
import { Id, limits, operation, pageOf, Time } from './common.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'
import { VirtualDevice } from './virtualdevices.ts'

export const remoteLimits = {
  /** devices of one page, and of those chosen one by one */
  pageMax: 100,
  /** what a call that asks the network server may take altogether */
  timeoutMs: 30_000,
} as const

/** A device as the network server behind a connector has it. */
export const RemoteDevice = z.object({
  /** its name there: the device id of The Things Stack, the DevEUI of ChirpStack */
  remoteId: z.string(),
  /** what it is known by here: its DevEUI, else its device id */
  externalId: z.string(),
  name: z.string(),
  description: z.string(),
  /** last uplink, as the network server knows it */
  lastSeen: Time.nullable(),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
})
export type RemoteDevice = z.infer<typeof RemoteDevice>

/** Whether the connector has a device for it already. */
export const ListedRemoteDevice = RemoteDevice.extend({
  known: z.boolean(),
  /** that device; null when there is none or the caller does not see it */
  deviceId: Id.nullable(),
})
export type ListedRemoteDevice = z.infer<typeof ListedRemoteDevice>

/** Those chosen, by their names there, or all that a search finds; what is here already is left out. */
export const RemoteSelection = z.union([
  z.strictObject({ remoteIds: z.array(z.string().min(1).max(100)).min(1).max(remoteLimits.pageMax) }),
  z.strictObject({ search: z.string().trim().max(100) }),
])
export type RemoteSelection = z.infer<typeof RemoteSelection>

/** What can be taken over from the network server. */
export const remoteFields = ['title', 'description', 'position'] as const
export const RemoteField = z.enum(remoteFields)
export type RemoteField = z.infer<typeof RemoteField>

const write = may('VirtualDevice', 'write', 'manage')

export const remoteOfBridge = {
  /**
   * Devices of the network server behind a connector, by their names there. A connector without access to one:
   * REMOTE_NOT_SUPPORTED. The offset is a multiple of the limit.
   */
  remoteDevices: operation
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
   * Creates devices of the network server as a background job, with their names, descriptions and positions. Those that
   * are here already are left out; none left: REMOTE_NOTHING_NEW.
   */
  importRemote: operation
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
   * Reads the device at its network server again. Description and position are taken over where there is none here;
   * what else differs is reported, and taken over where `take` names it. REMOTE_DEVICE_NOT_FOUND when it is not there.
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
        /** what is different there and was left as it is here */
        differences: z.array(RemoteField),
      }),
    ),
}
