import * as z from 'zod'
import { Id, Json, operation } from './common.ts'
import { may } from './permissions.ts'

export const importLimits = {
  archiveBytesMax: 25 * 1_048_576,
  /** what an archive may unpack to */
  unpackedBytesMax: 64 * 1_048_576,
  entriesMax: 50_000,
  /** of one file that is read */
  fileBytesMax: 1_048_576,
  devicesMax: 100,
  /** differing examples told of a driver, and differences told of one */
  differingMax: 5,
  differencesMax: 10,
} as const

/**
 * `ready` — can be imported, `exists` — the account has a driver of this maker and model already, `unusable` — see its
 * problem, `imported` — is a driver now.
 */
export const importStates = ['ready', 'exists', 'unusable', 'imported'] as const

/**
 * What keeps a device from becoming a driver: `unreadable` — its description, `noDecoder` — it names none,
 * `fileMissing` — a file it names is not in the archive, `tooLarge` — the decoder; else a code of the error catalogue.
 */
export const importProblems = ['unreadable', 'noDecoder', 'fileMissing', 'tooLarge'] as const

/** A device of the archive, and what was taken of it. */
export const ImportedDevice = z.object({
  /** maker and device, as files are called; unique in the archive */
  key: z.string(),
  title: z.string(),
  manufacturer: z.string(),
  model: z.string(),
  state: z.enum(importStates),
  /** path of the decoder in the archive, which is taken as it is */
  script: z.string().nullable(),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** examples that became golden packets */
  golden: z.int(),
  /** examples that say nothing of values, such as those of errors */
  unusable: z.int(),
  /** examples the decoder answers differently here; they are left out */
  differing: z.int(),
  /** the first of them */
  differences: z.array(
    z.object({
      title: z.string(),
      error: z.string().nullable(),
      differences: z.array(z.object({ key: z.string(), expected: Json.nullable(), actual: Json.nullable() })),
    }),
  ),
  /** the decoder comes with an encoder of downlinks; it stays in the script, and nothing else is made of it */
  encoder: z.boolean(),
  driverId: Id.nullable(),
})
export type ImportedDevice = z.infer<typeof ImportedDevice>

export const driverImport = {
  /**
   * Reads an archive (ZIP or tar.gz, as multipart form) in the layout of the device repository of The Things Network
   * (YAML and JavaScript) or of ChirpStack (TOML and JavaScript), and says what can be taken of it. With `keys` the
   * devices named become drivers of the account, published, with their decoder unchanged and those examples as golden
   * packets that it decodes as published.
   */
  import: operation
    .meta({
      rule: may('DeviceDriver', 'manage'),
      fileBytesMax: importLimits.archiveBytesMax,
      clientTimeoutMs: 50_000,
    })
    .route({
      method: 'POST',
      path: '/devicedrivers/import',
      tags: ['drivers'],
      summary: 'Import drivers from a device repository',
    })
    .input(
      z.object({
        file: z.file(),
        /** fields of a form are texts */
        accountId: z.coerce.number<number | string>().int().positive(),
        /** keys of devices, one in a line; absent: nothing is imported */
        keys: z.string().max(20_000).optional(),
      }),
    )
    .output(z.object({ items: z.array(ImportedDevice) })),
}
