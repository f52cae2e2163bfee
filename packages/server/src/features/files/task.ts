import * as z from 'zod'
import type { ReadTask } from '../../platform/reader/index.ts'

const Side = z.int().min(1).max(0xffffffff)
const Looked = z.strictObject({
  /** media type of the content; null: unknown */
  type: z.string().max(200).nullable(),
  /** of a picture; null when its header does not contain it */
  size: z.strictObject({ width: Side, height: Side }).nullable(),
})
export type Looked = z.infer<typeof Looked>

/** Detects the type of a file. */
export const lookTask: ReadTask<null, Looked> = {
  name: 'file',
  module: new URL('./reading.ts', import.meta.url),
  part: Looked,
  partsMax: 1,
  refusals: [],
}
