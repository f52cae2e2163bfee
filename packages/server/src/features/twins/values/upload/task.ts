import { valueFaults, valueUploadLimits } from '@leitstand/contract/stateValues'
import * as z from 'zod'
import type { ReadTask } from '../../../../platform/reader/index.ts'
import type { TargetState, TimeBounds } from './rows.ts'

/** Values of one part; also what a row of `value_uploads` holds. */
export const valuesOfPartMax = 1_000

export const PartValues = z
  .array(z.tuple([z.int(), z.int(), z.union([z.number(), z.string(), z.boolean(), z.json()])]))
  .max(valuesOfPartMax)
export type PartValues = z.infer<typeof PartValues>

const Found = z.strictObject({
  rows: z.int(),
  faulty: z.int(),
  faults: z
    .array(
      z.strictObject({
        row: z.int(),
        column: z.string(),
        code: z.enum(valueFaults),
        cell: z.string().max(100),
      }),
    )
    .max(valueUploadLimits.faultsMax),
  ignored: z.array(z.string()),
})

const Part = z.union([z.strictObject({ values: PartValues }), z.strictObject({ found: Found })])
export type ValuesPart = z.infer<typeof Part>

export interface ValuesInput {
  states: readonly TargetState[]
  zone: string
  only: boolean
  bounds: TimeBounds
}

/** Reads a file of values: the values in parts, then what else was found. */
export const valuesTask: ReadTask<ValuesInput, ValuesPart> = {
  name: 'values',
  module: new URL('./reading.ts', import.meta.url),
  part: Part,
  partsMax: Math.ceil(valueUploadLimits.valuesMax / valuesOfPartMax) + 1,
  refusals: ['BULK_FILE_UNREADABLE', 'BULK_FILE_EMPTY', 'VALUE_UPLOAD_COLUMNS', 'VALUE_UPLOAD_TOO_LARGE'],
}
