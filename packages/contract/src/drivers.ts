import * as z from 'zod'
import {
  Done,
  Id,
  Json,
  limits,
  listOf,
  operation,
  orderBy,
  Paging,
  pageOf,
  Text,
  Time,
  Title,
  Version,
  WebAddress,
} from './common.ts'
import { PredefinedDownlinks } from './downlinks.ts'
import { driverAcceptance } from './driverAcceptance.ts'
import { driverImport } from './driverImport.ts'
import { driverLibrary } from './driverLibrary.ts'
import { Fault, Remark } from './errors.ts'
import { HealthConfig, healthCategories, healthTypes, noHealthConfig } from './health.ts'
import { CalculatedList, Parser, parserKinds, VariableKey } from './parsers.ts'
import { ValueType } from './states.ts'

export const driverVisibilities = ['account', 'everyone'] as const

/** A variable the parser yields, e.g. `temperature` in °C. */
export const DriverVariable = z.object({
  key: VariableKey,
  title: z.string().max(200).default(''),
  unit: z.string().max(30).default(''),
  /** absent: taken from layouts and golden packets, else a number */
  valueType: ValueType.optional(),
})
export type DriverVariable = z.infer<typeof DriverVariable>

export const payloadEncodings = ['base16', 'base64', 'json'] as const

/** A packet stored with the driver together with its expected result. */
export const GoldenPacket = z.object({
  title: z.string().max(200).default(''),
  fPort: z.int().min(0).max(255).nullable().default(null),
  payload: z.string().max(limits.payloadBytesMax),
  encoding: z.enum(payloadEncodings).default('base16'),
  expected: z.record(z.string(), Json),
})
export type GoldenPacket = z.infer<typeof GoldenPacket>

/** Technical specification of the device model; free text fields known to the console. */
export const DriverSpecs = z.looseObject({
  /** the manufacturer's name, if it is more than the model */
  deviceName: z.string().max(200).optional(),
  /** revision of the hardware or firmware that it supports */
  revision: z.string().max(100).optional(),
  technology: z.string().max(100).optional(),
  connectivity: z.string().max(200).optional(),
  frequency: z.string().max(100).optional(),
  txPower: z.string().max(100).optional(),
  configuration: z.string().max(1000).optional(),
  powerSupply: z.string().max(200).optional(),
  operatingTemperature: z.string().max(100).optional(),
  dimensions: z.string().max(100).optional(),
  protection: z.string().max(100).optional(),
  certifications: z.string().max(500).optional(),
  documentationUrl: WebAddress.optional(),
  installationNotes: Text.optional(),
  /** packets that a device is expected to send in 24 hours */
  packetsPerDay: z.number().min(0.1).max(1_000_000).optional(),
  highlights: z.array(z.string().max(200)).max(20).optional(),
})

const DriverFields = {
  title: Title,
  description: Text.default(''),
  manufacturer: z.string().max(200).default(''),
  model: z.string().max(200).default(''),
  visibility: z.enum(driverVisibilities).default('account'),
  specs: DriverSpecs.default({}),
  parser: Parser.default({ kind: 'function' }),
  /** source code for kinds that have one, otherwise empty */
  script: z.string().max(limits.scriptLengthMax).default(''),
  calculated: CalculatedList.default([]),
  /** token (bearer) for a parser of kind `url`; absent: keeps the stored one, null: none */
  parserSecret: z.string().min(1).max(1000).nullable().optional(),
  variables: z.array(DriverVariable).max(200).default([]),
  golden: z.array(GoldenPacket).max(100).default([]),
  /** health configuration of its devices */
  health: HealthConfig.default(noHealthConfig()),
  /** downlinks offered for its devices */
  downlinks: PredefinedDownlinks.default([]),
  note: z.string().max(500).default(''),
  /** store it even if names of variables differ only by case */
  acceptAlike: z.boolean().default(false),
}

export const DriverSummary = z.object({
  id: Id,
  accountId: Id,
  accountName: z.string(),
  title: z.string(),
  description: z.string(),
  manufacturer: z.string(),
  model: z.string(),
  visibility: z.enum(driverVisibilities),
  /** of the published version, else of the latest */
  parserKind: z.enum(parserKinds),
  /** delivered with the platform */
  delivered: z.boolean(),
  /** delivered, but the published version was written here */
  modified: z.boolean(),
  publishedVersion: z.int().nullable(),
  latestVersion: z.int(),
  deviceCount: z.int(),
  /** accounts visible to the caller that have accepted a version other than the published one */
  outdatedAccounts: z.int(),
  /** the file of its picture; null: none */
  pictureId: Id.nullable(),
  updatedAt: Time,
})
export type DriverSummary = z.infer<typeof DriverSummary>

export const DriverVersion = z.object({
  number: z.int(),
  note: z.string(),
  createdBy: z.string(),
  /** delivered with the platform */
  delivered: z.boolean(),
  createdAt: Time,
  publishedAt: Time.nullable(),
})

export const Driver = DriverSummary.extend({
  specs: DriverSpecs,
  /** the requested version, by default the latest */
  number: z.int(),
  parser: Parser,
  script: z.string(),
  calculated: CalculatedList,
  /** whether a token is stored for the origin of its `url` parser */
  hasParserSecret: z.boolean(),
  variables: z.array(DriverVariable),
  golden: z.array(GoldenPacket),
  health: HealthConfig,
  downlinks: PredefinedDownlinks,
  versions: z.array(DriverVersion),
  /** whether the caller may change it */
  editable: z.boolean(),
  version: z.int(),
})
export type Driver = z.infer<typeof Driver>

export const ScriptProblem = Fault.extend({
  line: z.int().optional(),
  column: z.int().optional(),
})

/** What one packet decodes to. */
export const ParseResult = z.object({
  ok: z.boolean(),
  /** what the parser returned */
  output: Json.nullable(),
  /** flattened variables, as live traffic would store them */
  variables: z.record(z.string(), Json),
  warnings: z.array(Remark),
  error: ScriptProblem.nullable(),
  console: z.array(z.string()),
  durationUs: z.int(),
  /** results for the entries of the given health configuration that the packet affects; others are omitted */
  health: z.array(
    z.object({
      identifier: z.string(),
      category: z.enum(healthCategories),
      type: z.enum(healthTypes),
      description: z.string(),
      active: z.boolean(),
    }),
  ),
  /** an expression fails on this packet, which makes the health invalid */
  healthFailed: z.boolean(),
})
export type ParseResult = z.infer<typeof ParseResult>

const read = {
  any: [
    { subject: 'DeviceDriver', action: 'read' },
    { subject: 'DeviceDriver', action: 'manage' },
    { subject: 'VirtualDevice', action: 'read' },
  ],
} as const
const manage = { any: [{ subject: 'DeviceDriver', action: 'manage' }] } as const

export const devicedrivers = {
  ...driverLibrary,
  ...driverImport,
  ...driverAcceptance,
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/devicedrivers', tags: ['drivers'], summary: 'Drivers' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        accountIds: listOf(Id).optional(),
        manufacturers: listOf(z.string().max(200)).optional(),
        /**
         * only drivers that devices of this account can use: its own first, then those its devices use, then
         * the rest
         */
        offeredTo: Id.optional(),
        /** true: only delivered drivers; false: only the others */
        delivered: z.boolean().optional(),
        /** true: only those with `outdatedAccounts` */
        outdated: z.boolean().optional(),
        orderBy: orderBy(['title', 'manufacturer', 'updatedAt', 'deviceCount']).default('title'),
      }),
    )
    .output(
      pageOf(
        DriverSummary.extend({
          /** the platform includes a newer version of it */
          updatable: z.boolean(),
          /** with `offeredTo`: created in that account, used by its devices, or neither */
          standing: z.enum(['own', 'used', 'other']).optional(),
        }),
      ).extend({ manufacturers: z.array(z.string()) }),
    ),
  get: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/devicedrivers/{id}', tags: ['drivers'], summary: 'Read a driver' })
    .input(z.object({ id: Id, number: z.int().min(1).optional() }))
    .output(Driver),
  /** Compiles the script and runs the golden packets before it is stored; version 1 is published at once with `publish`. */
  create: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/devicedrivers',
      tags: ['drivers'],
      summary: 'Create a driver',
      successStatus: 201,
    })
    .input(z.object({ accountId: Id, ...DriverFields, publish: z.boolean().default(true) }))
    .output(Driver),
  /**
   * A changed script becomes a new version; with `publish` live traffic uses it from the next packet on. Returns the new
   * version, or the one that was edited.
   * Refused with DEVICEDRIVER_GOLDEN_MISMATCH when golden packets no longer match, unless `acceptGolden` is
   * set, and with DEVICEDRIVER_ALIKE_VARIABLES when names of variables differ only by case, unless
   * `acceptAlike` is set.
   */
  update: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({ method: 'PUT', path: '/devicedrivers/{id}', tags: ['drivers'], summary: 'Change a driver' })
    .input(
      z.object({
        id: Id,
        version: Version,
        /** the version that was edited; absent: the latest */
        number: z.int().min(1).optional(),
        ...DriverFields,
        publish: z.boolean().default(true),
        acceptGolden: z.boolean().default(false),
      }),
    )
    .output(Driver),
  /** Makes an older version the one that live traffic uses. */
  publish: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/devicedrivers/{id}/publish',
      tags: ['drivers'],
      summary: 'Publish a version',
    })
    .input(z.object({ id: Id, number: z.int().min(1) }))
    .output(Driver),
  /**
   * Refused with DEVICEDRIVER_IN_USE while devices use it; `data` has their number, and those the caller may
   * see.
   */
  delete: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: '/devicedrivers/{id}', tags: ['drivers'], summary: 'Delete a driver' })
    .input(z.object({ id: Id }))
    .output(Done),
}

/** Packets to test a driver with. */
const TriedPackets = z
  .array(
    z.object({
      payload: z.string().max(limits.payloadBytesMax),
      encoding: z.enum(payloadEncodings).default('base16'),
      fPort: z.int().min(0).max(255).optional(),
      time: Time.optional(),
      meta: z.record(z.string(), Json).optional(),
    }),
  )
  .min(1)
  .max(50)

const Tried = z.object({
  check: z.object({
    ok: z.boolean(),
    /** family of the recognised function signature */
    family: z.string().nullable(),
    stateful: z.boolean(),
    problem: ScriptProblem.nullable(),
  }),
  results: z.array(ParseResult),
})

export const dispatcher = {
  /**
   * Runs a stored driver on packets exactly as live traffic does, including its health configuration. Other
   * given fields replace the stored ones; this executes code, so it needs `DeviceDriver manage` (else
   * NO_PERMISSION).
   */
  parse: operation
    .meta({ rule: read, clientTimeoutMs: 60_000, look: 'asks' })
    .route({
      method: 'POST',
      path: '/dispatcher/devicedriver/parse',
      tags: ['drivers'],
      summary: 'Try a driver',
    })
    .input(
      z.object({
        /** stored driver, unless `parser` or `script` is given */
        driverId: Id.optional(),
        /** its version, by default the published one */
        number: z.int().min(1).optional(),
        /** absent with a `script`: `function` */
        parser: Parser.optional(),
        script: z.string().max(limits.scriptLengthMax).optional(),
        calculated: CalculatedList.optional(),
        /** evaluated on the result of each packet separately */
        health: HealthConfig.optional(),
        /** absent: the stored one, if the origin is the same */
        parserSecret: z.string().min(1).max(1000).optional(),
        packets: TriedPackets,
      }),
    )
    .output(Tried),
  /** Runs the published version of a driver on packets, exactly as live traffic does. */
  parseOfType: operation
    .meta({ rule: read, clientTimeoutMs: 60_000, look: 'asks' })
    .route({
      method: 'POST',
      path: '/virtualdevice/devicetype/{id}/parse',
      tags: ['virtual devices'],
      summary: 'Decode packets with a driver',
    })
    .input(z.object({ id: Id, packets: TriedPackets }))
    .output(Tried),
  /** The latest real packets of devices with this driver, for tests. */
  recentPackets: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/devicedrivers/{id}/packets',
      tags: ['drivers'],
      summary: 'Recent packets of a driver',
    })
    .input(z.object({ id: Id, limit: z.int().min(1).max(50).default(10) }))
    .output(
      z.object({
        items: z.array(
          z.object({
            packetId: Id,
            deviceId: Id,
            deviceTitle: z.string(),
            receivedAt: Time,
            fPort: z.int().nullable(),
            payload: z.string(),
            encoding: z.enum(payloadEncodings),
          }),
        ),
      }),
    ),
}
