import * as z from 'zod'
import { Id, operation, Paging, pageOf, Time } from './common.ts'

/** Which version of another account's driver runs for the devices of an account. */
export const DriverAcceptance = z.object({
  accountId: Id,
  accountName: z.string(),
  /** the version accepted; what is published since has to be accepted first */
  number: z.int(),
  /** empty: with the first device that used the driver */
  acceptedBy: z.string(),
  acceptedAt: Time,
  /** devices of the account that use the driver, as far as the caller sees them */
  devices: z.int(),
  /** whether the caller may accept another version for it */
  editable: z.boolean(),
})
export type DriverAcceptance = z.infer<typeof DriverAcceptance>

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

/** Accepting versions of drivers other accounts have written. */
export const driverAcceptance = {
  acceptances: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/devicedrivers/{id}/acceptances',
      tags: ['drivers'],
      summary: 'Accepted versions of a driver',
    })
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(DriverAcceptance)),
  /**
   * Has this version run for the devices of an account that use the driver and name no version themselves. Any version
   * that was published will do, so an older one can be taken back.
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
