import type { DecodeSelection } from '@leitstand/contract/redecoding'
import { api } from '../../lib/api.ts'

const sample = 200

/** The preview of a selection; read once, as packets that arrive later are outside its period. */
export function previewOf(selection: DecodeSelection) {
  return api.letters.redecodePreview.queryOptions({
    input: { ...selection, sample },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}
