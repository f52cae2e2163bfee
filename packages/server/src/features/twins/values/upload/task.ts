import { valueFaults, valueUploadLimits } from '@leitstand/contract/stateValues'
import * as z from 'zod'
import type { ReadTask } from '../../../../platform/reader/index.ts'
import type { CellFault, TargetState, TimeBounds } from './rows.ts'

/** Values of one part; also what a row of `value_uploads` holds. */
export const valuesOfPartMax = 1_000

/** Characters of a cell that names a twin or state: a path of titles. */
export const targetLengthMax = 1_000

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

/** What a file across twins means by a twin and a state: the state, or why it cannot be used. */
export type Target = readonly [twin: string, state: string, TargetState | CellFault['code']]

/** Texts of cells, cut to what a title may have. */
const Cell = z.string().max(targetLengthMax)

const AcrossPart = z.union([
  z.strictObject({ pairs: z.array(z.tuple([Cell, Cell])).max(valuesOfPartMax) }),
  z.strictObject({ values: PartValues }),
  z.strictObject({ found: Found }),
])
export type AcrossPart = z.infer<typeof AcrossPart>

export interface AcrossInput {
  zone: string
  bounds: TimeBounds
  /** null: only tells which twins and states the file names */
  targets: readonly Target[] | null
}

const refusals = [
  'BULK_FILE_UNREADABLE',
  'BULK_FILE_EMPTY',
  'VALUE_UPLOAD_COLUMNS',
  'VALUE_UPLOAD_TWIN_COLUMN',
  'VALUE_UPLOAD_TOO_LARGE',
] as const

/** Reads a file of values across twins, twice: first the twins and states it names, then their values. */
export const acrossTask: ReadTask<AcrossInput, AcrossPart> = {
  name: 'values across twins',
  module: new URL('./acrossReading.ts', import.meta.url),
  part: AcrossPart,
  partsMax: Math.ceil(valueUploadLimits.valuesMax / valuesOfPartMax) + 1,
  refusals,
}

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
