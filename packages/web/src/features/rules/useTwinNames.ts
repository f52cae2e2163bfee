import { ORPCError } from '@orpc/client'
import { useQueries } from '@tanstack/react-query'
import { client } from '../../lib/api.ts'

/** Names of twins and devices: null if there is none, or it may not be seen; “…” while it is read. */
export function useTwinNames(ids: readonly number[]): (id: number) => string | null {
  const asked = [...new Set(ids)].filter((id) => id > 0)
  const names = useQueries({
    queries: asked.map((id) => ({
      queryKey: ['rules', 'twin-name', id],
      queryFn: () => readTwinName(id),
      staleTime: 60_000,
    })),
  })
  const known = new Map(asked.map((id, index) => [id, names[index]]))
  return (id) => {
    const found = known.get(id)
    return found?.isSuccess ? found.data : '…'
  }
}

const unseen = ['DTWIN_NOT_FOUND', 'VDEVICE_NOT_FOUND', 'NO_PERMISSION']

/** The name of a twin or device; only the server knows which of the two it is. Null if it does not exist or may not be seen. */
export async function readTwinName(id: number): Promise<string | null> {
  for (const read of [client.digitaltwin.get, client.virtualdevice.get]) {
    try {
      return (await read({ id })).title
    } catch (error) {
      if (!(error instanceof ORPCError && unseen.includes(error.code))) throw error
    }
  }
  return null
}
