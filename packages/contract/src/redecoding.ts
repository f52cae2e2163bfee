import * as z from 'zod'
import { Id, Json, limits, operation, Time } from './common.ts'
import { Fault } from './errors.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'

export const decodingLimits = {
  /** maximum packets decoded for a preview */
  sampleMax: 500,
  /** devices of one job */
  devicesMax: 20_000,
  /** maximum packets counted by a preview; a job processes more */
  countMax: 200_000,
  /** maximum differences listed by a preview */
  examplesMax: 50,
} as const

/** Which stored packets to decode again, and with which driver version. */
export const DecodeSelection = z
  .object({
    /** these devices, or all that use the driver `driverId` */
    deviceIds: z.array(Id).min(1).max(limits.pageMax).optional(),
    driverId: Id.optional(),
    /** packets received in this period, the end is exclusive */
    from: Time,
    to: Time,
    /** only packets stored with an error */
    errorsOnly: z.boolean().default(false),
    /** the driver version to decode with; null: the version that each device uses in live traffic now */
    using: z
      .object({ driverId: Id, number: z.int().min(1) })
      .nullable()
      .default(null),
  })
  .refine(({ deviceIds, driverId }) => (deviceIds === undefined) !== (driverId === undefined), {
    message: 'either deviceIds or driverId',
    path: ['deviceIds'],
  })
  .refine(({ from, to }) => Date.parse(from) < Date.parse(to), {
    message: 'the start must be before the end',
    path: ['to'],
  })
export type DecodeSelection = z.infer<typeof DecodeSelection>

/** A packet that decodes differently. */
export const DecodeDifference = z.object({
  packetId: Id,
  deviceId: Id,
  deviceTitle: z.string(),
  receivedAt: Time,
  before: z.object({
    variables: z.record(z.string(), Json).nullable(),
    error: Fault.nullable(),
    driverVersion: z.int().nullable(),
  }),
  after: z.object({
    variables: z.record(z.string(), Json).nullable(),
    error: Fault.nullable(),
    driverVersion: z.int().nullable(),
  }),
})
export type DecodeDifference = z.infer<typeof DecodeDifference>

export const DecodePreview = z.object({
  devices: z.int(),
  /** packets of the selection, counted up to a limit */
  packets: z.int(),
  packetsMore: z.boolean(),
  /** packets that were decoded for this preview, spread over devices and period */
  sampled: z.int(),
  same: z.int(),
  different: z.int(),
  errors: z.object({
    before: z.int(),
    after: z.int(),
    /** packets that had an error and now have none, and vice versa */
    vanish: z.int(),
    appear: z.int(),
    /** errors of the sample after decoding again, the most frequent first */
    kinds: z.array(Fault.extend({ count: z.int() })),
  }),
  /** how often a variable of the sample appears, vanishes, changes or stays the same, with one example */
  variables: z.array(
    z.object({
      key: z.string(),
      appears: z.int(),
      vanishes: z.int(),
      changes: z.int(),
      same: z.int(),
      example: z.object({ before: Json.nullable(), after: Json.nullable() }).nullable(),
    }),
  ),
  examples: z.array(DecodeDifference),
})
export type DecodePreview = z.infer<typeof DecodePreview>

const write = may('VirtualDevice', 'write', 'manage')

/**
 * Decodes stored packets again, e.g. after a driver was fixed. Corrects the values at the packets' times;
 * current values and everything computed from them follow; rules do not fire for the past.
 */
export const redecoding = {
  /** Decodes a sample and changes nothing. */
  redecodePreview: operation
    .meta({ rule: write, clientTimeoutMs: 60_000, look: 'asks' })
    .route({
      method: 'POST',
      path: '/background-runners/packets-decode/preview',
      tags: ['virtual devices'],
      summary: 'Preview of decoding packets again',
    })
    .input(DecodeSelection.safeExtend({ sample: z.int().min(1).max(decodingLimits.sampleMax).default(200) }))
    .output(DecodePreview),
  /**
   * Decodes all packets of the selection and corrects values, as a background job. Results of the job:
   * `decoded`, `changed`, `errors`, `valuesAdded`, `valuesChanged`, `valuesDeleted`, `valuesRefused`,
   * `aggregates`.
   */
  redecode: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/background-runners/packets-decode',
      tags: ['virtual devices'],
      summary: 'Decode packets again',
      successStatus: 201,
    })
    .input(DecodeSelection)
    .output(BackgroundJob),
}
