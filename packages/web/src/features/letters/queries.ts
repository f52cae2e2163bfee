import type { contract } from '@leitstand/contract'
import type { DecodeSelection } from '@leitstand/contract/redecoding'
import type { InferContractRouterOutputs } from '@orpc/contract'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'

type Outputs = InferContractRouterOutputs<typeof contract>
export type DeadLetter = Outputs['letters']['list']['items'][number]

const sample = 200

/** The preview of a selection; read once, as packets that arrive later are outside its period. */
export function previewOf(selection: DecodeSelection) {
  return api.letters.redecodePreview.queryOptions({
    input: { ...selection, sample },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}

/** Reloads dead letters; pages not shown are dropped, as they could list deleted letters. */
export async function refreshLetters(cache: QueryClient): Promise<void> {
  const queryKey = api.letters.list.key()
  cache.removeQueries({ queryKey, type: 'inactive' })
  await cache.invalidateQueries({ queryKey })
}
