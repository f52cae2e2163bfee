import * as z from 'zod'
import type { ReadTask } from '../../platform/reader/index.ts'

const Side = z.int().min(1).max(0xffffffff)
const Looked = z.strictObject({
  /** media type of the content; null: nobody knows it */
  type: z.string().max(200).nullable(),
  /** of a picture; null where its head does not say */
  size: z.strictObject({ width: Side, height: Side }).nullable(),
})
export type Looked = z.infer<typeof Looked>

/** Looks at what a file is. */
export const lookTask: ReadTask<null, Looked> = {
  name: 'file',
  module: new URL('./reading.ts', import.meta.url),
  part: Looked,
  partsMax: 1,
  refusals: [],
}
