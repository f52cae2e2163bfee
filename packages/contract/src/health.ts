import * as z from 'zod'
import { Id, operation, Paging, pageOf, Time, Version } from './common.ts'
import { anyOf, may } from './permissions.ts'

export const healthCategories = ['battery', 'connectivity', 'device'] as const
export type HealthCategory = (typeof healthCategories)[number]
export const healthTypes = ['warning', 'error'] as const
export type HealthType = (typeof healthTypes)[number]
export const healthOperators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const
export type HealthOperator = (typeof healthOperators)[number]

export const healthLimits = {
  entriesMax: 50,
  stateKeysMax: 50,
  expressionLengthMax: 2_000,
  /** minutes: a year */
  durationMax: 527_040,
} as const

/** 0 ok, 1 warning, 2 error, 3 unknown, 4 invalid. */
export const Health = z.int().min(0).max(4)

const VariableKey = z.string().regex(/^[A-Za-z0-9_.]{1,100}$/)

/**
 * Compares the last value of the variable; numbers as numbers, texts and booleans only with `eq` and `ne`.
 */
export const HealthCondition = z.object({
  variable: VariableKey,
  operator: z.enum(healthOperators),
  value: z.union([z.number(), z.boolean(), z.string().max(200)]),
})
export type HealthCondition = z.infer<typeof HealthCondition>

/**
 * A possible problem of a device. It checks exactly one thing: a condition, in expert mode an expression
 * (JavaScript over the state keys, true for a problem), or the age of the last packet or of the last value of
 * `olderThanVariable`.
 */
export const HealthEntry = z.object({
  identifier: z.string().regex(/^[A-Za-z0-9_.-]{1,60}$/),
  category: z.enum(healthCategories),
  type: z.enum(healthTypes),
  description: z.string().max(500).default(''),
  condition: HealthCondition.nullable().default(null),
  /** expert mode only, else empty */
  expression: z.string().max(healthLimits.expressionLengthMax).default(''),
  /** minutes */
  olderThanDuration: z.int().min(1).max(healthLimits.durationMax).nullable().default(null),
  /** variable whose last value counts; null: the last packet of any kind */
  olderThanVariable: VariableKey.nullable().default(null),
})
export type HealthEntry = z.infer<typeof HealthEntry>

/**
 * Possible problems of the devices of a driver, or of one device.
 * - `expertMode`: entries have expressions instead of conditions
 * - `stateKeys`: variables the expressions may use; their last values are remembered between packets
 * - `applyToAllVD`: publishing it replaces the configurations of single devices
 */
export const HealthConfig = z
  .object({
    expertMode: z.boolean().default(false),
    applyToAllVD: z.boolean().default(false),
    stateKeys: z.array(VariableKey).max(healthLimits.stateKeysMax).default([]),
    entries: z.array(HealthEntry).max(healthLimits.entriesMax).default([]),
  })
  .superRefine(({ expertMode, stateKeys, entries }, context) => {
    const fault = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: 'custom', path, message })
    const seen = new Set<string>()
    for (const [index, entry] of entries.entries()) {
      if (seen.has(entry.identifier)) fault(['entries', index, 'identifier'], 'healthIdentifierTwice')
      seen.add(entry.identifier)
      const looksAt = [entry.condition !== null, entry.expression !== '', entry.olderThanDuration !== null]
      if (looksAt.filter(Boolean).length !== 1)
        fault(['entries', index, expertMode ? 'expression' : 'condition'], 'healthLooksAtOne')
      if (expertMode && entry.condition !== null)
        fault(['entries', index, 'condition'], 'healthConditionExpert')
      if (!expertMode && entry.expression !== '')
        fault(['entries', index, 'expression'], 'healthExpressionSimple')
      if (entry.olderThanDuration === null && entry.olderThanVariable !== null)
        fault(['entries', index, 'olderThanVariable'], 'healthVariableAlone')
    }
    for (const [index, key] of stateKeys.entries())
      if (stateKeys.indexOf(key) < index) fault(['stateKeys', index], 'healthStateKeyTwice')
  })
export type HealthConfig = z.infer<typeof HealthConfig>

/** No checks: a device is ok as soon as it sends. */
export const noHealthConfig = (): HealthConfig => ({
  expertMode: false,
  applyToAllVD: false,
  stateKeys: [],
  entries: [],
})

/** Where the configuration of a device comes from. */
export const healthSources = ['driver', 'template', 'own'] as const

/** What makes the health invalid: packets that cannot be decoded, expressions that fail. */
export const healthFaults = ['decode', 'expression'] as const
export type HealthFault = (typeof healthFaults)[number]

/** The health of a device with all its inputs. */
export const DeviceHealth = z.object({
  health: Health,
  /** faults with their start: packets cannot be decoded, or expressions fail */
  faults: z.array(z.object({ kind: z.enum(healthFaults), since: Time })),
  /** also `driver` if there is no driver, and so nothing to check */
  source: z.enum(healthSources),
  /** set by the template of the device: it cannot be changed here (DEVICE_TEMPLATE_FIXED) */
  fixed: z.boolean(),
  config: HealthConfig,
  /** in the order of the configuration */
  entries: z.array(
    z.object({
      identifier: z.string(),
      /** the problem exists now, whether it is ignored or not */
      active: z.boolean(),
      /** when it started to count; null when it is not active or ignored */
      since: Time.nullable(),
      ignored: z.object({ by: z.string(), at: Time }).nullable(),
    }),
  ),
  /** time of the last evaluated packet; null: none since the device was created or enabled */
  evaluatedAt: Time.nullable(),
  editable: z.boolean(),
  /** version of the device */
  version: z.int(),
})
export type DeviceHealth = z.infer<typeof DeviceHealth>

/**
 * Why an entry stopped counting: the problem is over, a user ignored it, the device was disabled, or the
 * entry was removed from the configuration.
 */
export const healthEnds = ['over', 'ignored', 'disabled', 'configuration'] as const
export type HealthEnd = (typeof healthEnds)[number]

/** A period during which an entry counted, with its configuration at the time. */
export const HealthPeriod = z.object({
  id: Id,
  /** identifier; null: a fault */
  entry: z.string().nullable(),
  fault: z.enum(healthFaults).nullable(),
  category: z.enum(healthCategories).nullable(),
  type: z.enum([...healthTypes, 'invalid']),
  description: z.string(),
  since: Time,
  /** null: ongoing */
  until: Time.nullable(),
  end: z.enum(healthEnds).nullable(),
})
export type HealthPeriod = z.infer<typeof HealthPeriod>

/** Progress of applying a driver's health configuration to its devices. */
export const HealthSync = z.object({
  /** devices of this driver the caller may see */
  devices: z.int(),
  /** devices with their own configuration */
  own: z.int(),
  /** a change is still being applied */
  running: z.boolean(),
})
export type HealthSync = z.infer<typeof HealthSync>

export const HealthConfigInput = z.object({
  id: Id,
  version: Version,
  /** `own`: the device gets its own `config`; `driver`: it uses its driver's again */
  x: z.enum(['driver', 'own']),
  config: HealthConfig.optional(),
})

export const HealthLogInput = z.object({ ...Paging, id: Id })
export const HealthLog = pageOf(HealthPeriod)

const read = may('VirtualDevice', 'read', 'manage')
const write = may('VirtualDevice', 'write', 'manage')

/** How many states of a twin are looked at. */
const sourcedStatesMax = 1000

/** Operations about the health of a device. */
export const deviceHealth = {
  get: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}/health',
      tags: ['virtual devices'],
      summary: 'Health of a device: configuration, entries, what is ignored',
    })
    .input(z.object({ id: Id }))
    .output(DeviceHealth),
  /**
   * Gives a device its own configuration, or makes it use its driver's again. Its health is recomputed at
   * once.
   */
  updateConfig: operation
    .meta({ rule: write })
    .route({
      method: 'PUT',
      path: '/virtualdevice/{id}/health-config/update/{x}',
      tags: ['virtual devices'],
      summary: 'Change what can be wrong with a device',
    })
    .input(HealthConfigInput)
    .output(DeviceHealth),
  /** Recomputes the health from the stored configuration and the last values of the device. */
  sync: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/virtualdevice/{id}/health-state-sync',
      tags: ['virtual devices'],
      summary: 'Recompute the health of a device',
    })
    .input(z.object({ id: Id }))
    .output(DeviceHealth),
  /** An ignored entry does not count for the health, whatever the device sends, until it is reactivated. */
  ignoreEntry: operation
    .meta({ rule: write })
    .route({
      method: 'PUT',
      path: '/virtualdevice/{id}/health-entries/{identifier}/ignored/{flag}',
      tags: ['virtual devices'],
      summary: 'Ignore an entry, or set it active again',
    })
    .input(z.object({ id: Id, identifier: z.string().min(1).max(60), flag: z.boolean() }))
    .output(DeviceHealth),
  /**
   * The devices whose values feed the states of a twin, with their health: those the caller may see. `device` is the one
   * in the worst condition, `count` how many there are.
   */
  sources: operation
    .meta({ rule: may('DigitalTwin', 'read') })
    .route({
      method: 'GET',
      path: '/digitaltwin/{id}/source-devices',
      tags: ['states'],
      summary: 'Devices that feed the states of a twin',
    })
    .input(z.object({ id: Id }))
    .output(
      z.object({
        items: z
          .array(
            z.object({
              stateId: Id,
              device: z.object({ id: Id, title: z.string(), health: z.int() }),
              count: z.int(),
            }),
          )
          .max(sourcedStatesMax),
      }),
    ),
  /** Past and current problems of a device, newest first. */
  log: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/virtualdevice/{id}/health-log',
      tags: ['virtual devices'],
      summary: 'History of the health of a device',
    })
    .input(HealthLogInput)
    .output(HealthLog),
}

const readDriver = anyOf(may('DeviceDriver', 'read', 'manage'), may('VirtualDevice', 'read'))
const manageDriver = may('DeviceDriver', 'manage')

/** Operations about the health of all devices of a driver. */
export const driverHealth = {
  healthSync: operation
    .meta({ rule: readDriver })
    .route({
      method: 'GET',
      path: '/devicedrivers/{id}/health-sync',
      tags: ['drivers'],
      summary: 'How far devices follow the health configuration',
    })
    .input(z.object({ id: Id }))
    .output(HealthSync),
  /**
   * Recomputes the health of all devices of a driver, in the background, from its published configuration.
   * With `takeOver`, devices the caller may change lose their own configurations.
   */
  syncHealth: operation
    .meta({ rule: manageDriver })
    .route({
      method: 'POST',
      path: '/devicedrivers/{id}/health-sync',
      tags: ['drivers'],
      summary: 'Apply the health configuration to all devices',
    })
    .input(z.object({ id: Id, takeOver: z.boolean().default(false) }))
    .output(HealthSync),
}
