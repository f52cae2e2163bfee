import * as z from 'zod'
import { Id, Json, listOf, operation, orderBy, Paging, pageOf, Version } from './common.ts'
import { Fault } from './errors.ts'
import { HealthEntry } from './health.ts'
import { anyOf, may } from './permissions.ts'

/** Purposes of the drivers delivered with the platform. */
export const libraryCategories = [
  'air',
  'analog',
  'button',
  'climate',
  'contact',
  'counter',
  'door',
  'electricity',
  'heat',
  'leak',
  'level',
  'light',
  'noise',
  'parking',
  'people',
  'pest',
  'pulse',
  'smoke',
  'soil',
  'streetlight',
  'tracker',
  'vibration',
  'waste',
  'water',
  'weather',
] as const
export type LibraryCategory = (typeof libraryCategories)[number]

/**
 * `available` — not installed, `updatable` — installed, and the platform includes a newer version, `current`
 * — installed in the delivered version.
 */
export const libraryStates = ['available', 'updatable', 'current'] as const
export type LibraryState = (typeof libraryStates)[number]

/** Identity of a delivered driver, e.g. `dragino-lht65`. */
export const LibraryKey = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)+$/)
  .max(100)

/** A text in the languages of the console. */
export const Translated = z.strictObject({ de: z.string().min(1), en: z.string().min(1) })

/** A driver that comes with the platform. */
export const LibraryEntry = z.object({
  key: LibraryKey,
  title: z.string(),
  manufacturer: z.string(),
  model: z.string(),
  category: z.enum(libraryCategories),
  description: Translated,
  state: z.enum(libraryStates),
  /** installed, but the version in use was written here */
  modified: z.boolean(),
  /** the installed driver */
  driverId: Id.nullable(),
})
export type LibraryEntry = z.infer<typeof LibraryEntry>

/** Changes that an update would make to the version in use. */
export const LibraryChanges = z.object({
  script: z.boolean(),
  /** keys */
  variables: z.object({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    changed: z.array(z.string()),
  }),
  /** identifiers */
  health: z.object({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    changed: z.array(z.string()),
  }),
  /** names; the account's own downlinks are kept */
  downlinks: z.object({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    changed: z.array(z.string()),
  }),
  /** delivered golden packets that are added; own ones are kept */
  golden: z.int(),
})
export type LibraryChanges = z.infer<typeof LibraryChanges>

export const LibraryDriver = LibraryEntry.extend({
  connectivity: z.string().nullable(),
  documentationUrl: z.string().nullable(),
  script: z.string(),
  variables: z.array(z.object({ key: z.string(), title: Translated, unit: z.string() })),
  health: z.array(HealthEntry.extend({ description: Translated })),
  /** downlinks for its devices, if the manufacturer documents them */
  downlinks: z.array(
    z.object({
      name: Translated,
      description: Translated.nullable(),
      port: z.int(),
      /** hexadecimal, without the values of parameters */
      payload: z.string(),
      documentationUrl: z.string(),
    }),
  ),
  /** packets with known results; they are run before it is installed or updated */
  goldenCount: z.int(),
  /** null: not installed */
  installed: z
    .object({
      driverId: Id,
      title: z.string(),
      /** version of the driver, for the update */
      version: z.int(),
      /** number of the version that live traffic uses, else of the latest */
      number: z.int(),
      script: z.string(),
      /** null: there is no newer one */
      changes: LibraryChanges.nullable(),
      /** own golden packets that decode differently with the newer version */
      mismatches: z.array(
        z.object({
          index: z.int(),
          title: z.string(),
          error: Fault.nullable(),
          differences: z.array(
            z.object({ key: z.string(), expected: Json.nullable(), actual: Json.nullable() }),
          ),
        }),
      ),
    })
    .nullable(),
  /** whether the caller may install and update: requires managing the drivers of the topmost account */
  installable: z.boolean(),
})
export type LibraryDriver = z.infer<typeof LibraryDriver>

const read = anyOf(may('DeviceDriver', 'read', 'manage'), may('VirtualDevice', 'read'))
const manage = may('DeviceDriver', 'manage')

/** Operations of the drivers that come with the platform; part of `devicedrivers`. */
export const driverLibrary = {
  /** All delivered drivers, installed or not. */
  library: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/devicedrivers/library', tags: ['drivers'], summary: 'Delivered drivers' })
    .input(
      z.object({
        ...Paging,
        /** words, each of which must occur in title, manufacturer, model or description */
        search: z.string().max(200).optional(),
        manufacturers: listOf(z.string().max(200)).optional(),
        categories: listOf(z.enum(libraryCategories)).optional(),
        states: listOf(z.enum(libraryStates)).optional(),
        orderBy: orderBy(['title', 'manufacturer']).default('title'),
      }),
    )
    .output(
      pageOf(LibraryEntry).extend({
        manufacturers: z.array(z.string()),
        /** number of drivers in each state, regardless of the search */
        counts: z.record(z.enum(libraryStates), z.int()),
        /** as for a single driver */
        installable: z.boolean(),
      }),
    ),
  /**
   * A delivered driver with the changes an update would make; own golden packets are run with the newer
   * version.
   */
  libraryDriver: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/devicedrivers/library/{key}',
      tags: ['drivers'],
      summary: 'Read a delivered driver',
    })
    .input(z.object({ key: LibraryKey }))
    .output(LibraryDriver),
  /**
   * Installs a delivered driver for the topmost account, visible to all accounts, and publishes it. Its
   * golden packets are run first. A driver that is already installed is left unchanged.
   */
  install: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/devicedrivers/library/{key}/install',
      tags: ['drivers'],
      summary: 'Install a delivered driver',
    })
    .input(z.object({ key: LibraryKey }))
    .output(z.object({ driverId: Id })),
  /**
   * Makes the delivered version the newest of an installed driver; with `publish` live traffic uses it from
   * the next packet on. Own golden packets are kept; if they decode differently, it is refused with
   * DEVICEDRIVER_GOLDEN_MISMATCH unless `acceptGolden` is set.
   */
  upgrade: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/devicedrivers/library/{key}/update',
      tags: ['drivers'],
      summary: 'Update a delivered driver',
    })
    .input(
      z.object({
        key: LibraryKey,
        version: Version,
        publish: z.boolean().default(true),
        acceptGolden: z.boolean().default(false),
      }),
    )
    .output(z.object({ driverId: Id, number: z.int() })),
}
