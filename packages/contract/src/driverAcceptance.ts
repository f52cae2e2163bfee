import * as z from 'zod'
import { Id, operation, Paging, pageOf, Time } from './common.ts'

/** The version of another account's driver that runs for the devices of an account. */
export const DriverAcceptance = z.object({
  accountId: Id,
  accountName: z.string(),
  /** the accepted version; later versions must be accepted first */
  number: z.int(),
  /** empty: accepted automatically by an earlier version of the platform */
  acceptedBy: z.string(),
  acceptedAt: Time,
  /** devices of the account that use the driver and that the caller sees */
  devices: z.int(),
  /** whether the caller may accept another version for it */
  editable: z.boolean(),
})
export type DriverAcceptance = z.infer<typeof DriverAcceptance>

/** Drivers of other accounts that an account has to accept before its devices use them. */
export const UnacceptedDriver = z.object({
  id: Id,
  title: z.string(),
  accountName: z.string(),
  /** the version the devices would use */
  number: z.int(),
})
export type UnacceptedDriver = z.infer<typeof UnacceptedDriver>

const read = {
  any: [
    { subject: 'DeviceDriver', action: 'read' },
    { subject: 'DeviceDriver', action: 'manage' },
    { subject: 'VirtualDevice', action: 'read' },
    { subject: 'VirtualDevice', action: 'manage' },
  ],
} as const
const accept = {
  any: [
    { subject: 'DeviceDriver', action: 'manage' },
    { subject: 'VirtualDevice', action: 'manage' },
  ],
} as const

/** Accepting versions of drivers from other accounts. */
export const driverAcceptance = {
  acceptances: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/devicedrivers/{id}/acceptances',
      tags: ['drivers'],
      summary: 'Accepted versions of a driver',
    })
    .input(z.object({ id: Id, accountId: Id.optional(), ...Paging }))
    .output(pageOf(DriverAcceptance)),
  /**
   * Uses this version for the devices of an account that use the driver without a fixed version. Any
   * published version is possible, so an earlier one can be restored.
   */
  accept: operation
    .meta({ rule: accept })
    .route({
      method: 'POST',
      path: '/devicedrivers/{id}/accept',
      tags: ['drivers'],
      summary: 'Accept a version of a driver',
    })
    .input(z.object({ id: Id, accountId: Id, number: z.int().min(1) }))
    .output(DriverAcceptance),
}
