import { ORPCError } from '@orpc/client'
import { api, client, queryClient } from '../../../lib/api.ts'

/** Title of a twin or device by id; cached for five minutes. */
export async function twinTitleOf(id: number): Promise<string> {
  return queryClient.fetchQuery({
    queryKey: ['object-title', id],
    staleTime: 5 * 60_000,
    queryFn: async () => {
      // The states operation returns no titles: try the twin first, then the device.
      const found = await client.state.search({ dtwinId: id, limit: 1 })
      const title = found.items[0]?.twinTitle
      if (title !== undefined) return title
      try {
        const twin = await queryClient.fetchQuery(api.digitaltwin.get.queryOptions({ input: { id } }))
        return twin.title
      } catch (error) {
        if (error instanceof ORPCError && error.status === 404) return String(id)
        throw error
      }
    },
  })
}
