import { api, client, queryClient } from '../../../lib/api.ts'

const offeredMax = 20

/** Smart groups to choose from, for a picker. */
export async function findGroups(search: string): Promise<{ value: string; label: string }[]> {
  const { items } = await client.smartGroup.list({ search, limit: offeredMax })
  return items.map(({ id, title, accountName }) => ({
    value: String(id),
    label: `${title} (${accountName})`,
  }))
}

/** The title of a smart group in a picker. */
export async function nameGroup(id: string): Promise<string> {
  return (await queryClient.fetchQuery(api.smartGroup.get.queryOptions({ input: { id: Number(id) } }))).title
}
