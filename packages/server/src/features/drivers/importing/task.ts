import { Json, limits } from '@leitstand/contract/common'
import { importLimits, importProblems } from '@leitstand/contract/driverImport'
import { DriverSpecs } from '@leitstand/contract/drivers'
import * as z from 'zod'
import type { ReadTask } from '../../../platform/reader/index.ts'
import { type FoundDevice, foundLimits } from './found.ts'

const Text = (lengthMax: number) => z.string().max(lengthMax)
const Path = Text(foundLimits.pathCharsMax)

/** A device as the reader process answers it. */
const Found: z.ZodType<FoundDevice> = z.strictObject({
  path: Path,
  manufacturer: Text(200),
  model: Text(200),
  description: Text(limits.textLengthMax),
  specs: DriverSpecs,
  decoder: z
    .strictObject({
      path: Path,
      script: Text(limits.scriptLengthMax + 1),
      examples: z
        .array(
          z.strictObject({
            title: Text(200),
            fPort: z.int().min(0).max(255).nullable(),
            payload: z.hex().max(2 * foundLimits.payloadBytesMax),
            data: Json,
          }),
        )
        .max(foundLimits.examplesMax),
      unusable: z.int().min(0),
      encoder: z.boolean(),
    })
    .nullable(),
  problem: z
    .strictObject({ code: z.enum(importProblems), message: Text(foundLimits.messageCharsMax) })
    .nullable(),
})

/** Reads an archive of a device repository. */
export const repositoryTask: ReadTask<null, FoundDevice> = {
  name: 'driver repository',
  module: new URL('./reading.ts', import.meta.url),
  part: Found,
  partsMax: importLimits.devicesMax,
  refusals: [
    'IMPORT_ARCHIVE_UNREADABLE',
    'IMPORT_ARCHIVE_TOO_LARGE',
    'IMPORT_NOTHING_FOUND',
    'IMPORT_TOO_MANY',
  ],
}
