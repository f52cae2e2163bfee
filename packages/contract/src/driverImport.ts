import * as z from 'zod'
import { Id, Json, operation } from './common.ts'
import { may } from './permissions.ts'

export const importLimits = {
  archiveBytesMax: 25 * 1_048_576,
  /** maximum unpacked size of an archive */
  unpackedBytesMax: 64 * 1_048_576,
  entriesMax: 50_000,
  /** maximum size of one file that is read */
  fileBytesMax: 1_048_576,
  devicesMax: 100,
  /** maximum differing examples reported per driver, and differences per example */
  differingMax: 5,
  differencesMax: 10,
} as const

/**
 * `ready` — can be imported, `exists` — the account already has a driver for this manufacturer and model,
 * `unusable` — see its problem, `imported` — is now a driver.
 */
export const importStates = ['ready', 'exists', 'unusable', 'imported'] as const

/**
 * Why a device cannot become a driver: `unreadable` — its description, `noDecoder` — it has no decoder,
 * `fileMissing` — a referenced file is not in the archive, `tooLarge` — the decoder; else a code of the error
 * catalogue.
 */
export const importProblems = ['unreadable', 'noDecoder', 'fileMissing', 'tooLarge'] as const

/** A device of the archive, and what was imported from it. */
export const ImportedDevice = z.object({
  /** manufacturer and device, from the file names; unique in the archive */
  key: z.string(),
  title: z.string(),
  manufacturer: z.string(),
  model: z.string(),
  state: z.enum(importStates),
  /** path of the decoder in the archive; it is imported unchanged */
  script: z.string().nullable(),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** examples that became golden packets */
  golden: z.int(),
  /** examples without expected values, such as those of errors */
  unusable: z.int(),
  /** examples that the decoder decodes differently here; they are left out */
  differing: z.int(),
  /** the first of them */
  differences: z.array(
    z.object({
      title: z.string(),
      error: z.string().nullable(),
      differences: z.array(z.object({ key: z.string(), expected: Json.nullable(), actual: Json.nullable() })),
    }),
  ),
  /** the decoder includes a downlink encoder; it stays in the script and is not used */
  encoder: z.boolean(),
  driverId: Id.nullable(),
})
export type ImportedDevice = z.infer<typeof ImportedDevice>

export const driverImport = {
  /**
   * Reads an archive (ZIP or tar.gz, as multipart form) in the layout of the device repository of The Things
   * Network (YAML and JavaScript) or of ChirpStack (TOML and JavaScript), and reports what can be imported.
   * With `keys`, the given devices become published drivers of the account, with their decoder unchanged;
   * examples that it decodes as documented become golden packets.
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
        /** form fields are text */
        accountId: z.coerce.number<number | string>().int().positive(),
        /** keys of devices, one per line; absent: nothing is imported */
        keys: z.string().max(20_000).optional(),
      }),
    )
    .output(z.object({ items: z.array(ImportedDevice) })),
}
