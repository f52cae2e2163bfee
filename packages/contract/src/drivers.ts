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
  /** absent: as in layouts and golden packets, else a number */
  valueType: ValueType.optional(),
})
export type DriverVariable = z.infer<typeof DriverVariable>

export const payloadEncodings = ['base16', 'base64', 'json'] as const

/** A packet kept with the driver together with what it must decode to. */
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
  /** as the maker calls it, where that is more than the model */
  deviceName: z.string().max(200).optional(),
  /** revision of the hardware or firmware it is for */
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
  /** source of the kinds that have one, empty for the others */
  script: z.string().max(limits.scriptLengthMax).default(''),
  calculated: CalculatedList.default([]),
  /** token (bearer) for a parser of kind `url`; absent: the stored one stays, null: none */
  parserSecret: z.string().min(1).max(1000).nullable().optional(),
  variables: z.array(DriverVariable).max(200).default([]),
  golden: z.array(GoldenPacket).max(100).default([]),
  /** what can be wrong with its devices */
  health: HealthConfig.default(noHealthConfig()),
  /** what can be sent to its devices */
  downlinks: PredefinedDownlinks.default([]),
  note: z.string().max(500).default(''),
  /** store it although names of variables differ by case only */
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
  publishedVersion: z.int().nullable(),
  latestVersion: z.int(),
  deviceCount: z.int(),
  /** accounts the caller sees that have accepted another version than the published one */
  outdatedAccounts: z.int(),
  /** the file of its picture; null: it has none */
  pictureId: Id.nullable(),
  updatedAt: Time,
})
export type DriverSummary = z.infer<typeof DriverSummary>

export const DriverVersion = z.object({
  number: z.int(),
  note: z.string(),
  createdBy: z.string(),
  /** it came with the platform */
  delivered: z.boolean(),
  createdAt: Time,
  publishedAt: Time.nullable(),
})

export const Driver = DriverSummary.extend({
  specs: DriverSpecs,
  /** of the version that was asked for, by default the latest */
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
  /** flattened variables as live traffic would store them */
  variables: z.record(z.string(), Json),
  warnings: z.array(Remark),
  error: ScriptProblem.nullable(),
  console: z.array(z.string()),
  durationUs: z.int(),
  /** what the packet would say of entries of the health configuration that was given; of the others it says nothing */
  health: z.array(
    z.object({
      identifier: z.string(),
      category: z.enum(healthCategories),
      type: z.enum(healthTypes),
      description: z.string(),
      active: z.boolean(),
    }),
  ),
  /** an expression of it fails on this packet, which makes the health invalid */
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
        /** only those that devices of this account can use: its own first, then those its devices have, then the rest */
        offeredTo: Id.optional(),
        /** only those that came with the platform, or only the others */
        delivered: z.boolean().optional(),
        orderBy: orderBy(['title', 'manufacturer', 'updatedAt', 'deviceCount']).default('title'),
      }),
    )
    .output(
      pageOf(
        DriverSummary.extend({
          /** the platform came with a newer version of it */
          updatable: z.boolean(),
          /** with `offeredTo`: made in that account, used by its devices, or neither */
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
   * A changed script becomes a new version; with `publish` live traffic uses it from the next packet on.
   * Golden packets that no longer match refuse with DEVICEDRIVER_GOLDEN_MISMATCH unless `acceptGolden` is set, names of
   * variables that differ by case only with DEVICEDRIVER_ALIKE_VARIABLES unless `acceptAlike` is.
   */
  update: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({ method: 'PUT', path: '/devicedrivers/{id}', tags: ['drivers'], summary: 'Change a driver' })
    .input(
      z.object({
        id: Id,
        version: Version,
        ...DriverFields,
        publish: z.boolean().default(true),
        acceptGolden: z.boolean().default(false),
      }),
    )
    .output(Driver),
  /** Makes an older version the one live traffic uses. */
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
  /** Refused with DEVICEDRIVER_IN_USE while devices use it; `data` says how many, and which of them the caller may see. */
  delete: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: '/devicedrivers/{id}', tags: ['drivers'], summary: 'Delete a driver' })
    .input(z.object({ id: Id }))
    .output(Done),
}

/** Packets to try a driver on. */
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
    /** family of the signature that was recognised, of a function */
    family: z.string().nullable(),
    stateful: z.boolean(),
    problem: ScriptProblem.nullable(),
  }),
  results: z.array(ParseResult),
})

export const dispatcher = {
  /**
   * Runs a stored driver on packets exactly as live traffic does, judged by its health configuration. What is given
   * besides is run instead of what is stored; that is code, so it needs `DeviceDriver manage` (else NO_PERMISSION).
   */
  parse: operation
    .meta({ rule: read, clientTimeoutMs: 60_000 })
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
        /** the version of it, by default the published one */
        number: z.int().min(1).optional(),
        /** absent with a `script`: `function` */
        parser: Parser.optional(),
        script: z.string().max(limits.scriptLengthMax).optional(),
        calculated: CalculatedList.optional(),
        /** to be judged by what the packets yield, each by itself */
        health: HealthConfig.optional(),
        /** absent: the stored one, where the origin is the same */
        parserSecret: z.string().min(1).max(1000).optional(),
        packets: TriedPackets,
      }),
    )
    .output(Tried),
  /** Runs the published version of a driver on packets, as live traffic of devices with it does. */
  parseOfType: operation
    .meta({ rule: read, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/virtualdevice/devicetype/{id}/parse',
      tags: ['virtual devices'],
      summary: 'Decode packets with a driver',
    })
    .input(z.object({ id: Id, packets: TriedPackets }))
    .output(Tried),
  /** The last real packets of devices with this driver, to test on. */
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
