import { client } from '../../../lib/api.ts'

const offered = 20

/** Locks by the title of their door. */
export async function loadLocks(search: string) {
  const { items } = await client.isfmAccessMgmt.locks({ limit: offered, ...(search ? { search } : {}) })
  return items.map(({ id, twin }) => ({ value: String(id), label: twin.title }))
}

export async function loadGroups(search: string) {
  const { items } = await client.isfmAccessMgmt.groups({ limit: offered, ...(search ? { search } : {}) })
  return items.map(({ id, title }) => ({ value: String(id), label: title }))
}

export async function nameLock(id: string): Promise<string> {
  const { items } = await client.isfmAccessMgmt.locks({ ids: [Number(id)], limit: 1 })
  return items[0]?.twin.title ?? id
}

export async function nameGroup(id: string): Promise<string> {
  const { items } = await client.isfmAccessMgmt.groups({ ids: [Number(id)], limit: 1 })
  return items[0]?.title ?? id
}

/** Doors that have a lock, by the id of their twin. */
export async function loadLockedDoors(search: string) {
  const { items } = await client.isfmAccessMgmt.locks({ limit: offered, ...(search ? { search } : {}) })
  return items.map(({ twin }) => ({ value: String(twin.id), label: twin.title }))
}

/** Users who can be given a key for a lock or a group. */
export async function loadHolders(search: string, of: { lockId: number | null; groupId: number | null }) {
  const { items } = await client.isfmAccessMgmt.holders({
    limit: offered,
    ...(search ? { search } : {}),
    ...(of.lockId === null ? {} : { lockId: of.lockId }),
    ...(of.groupId === null ? {} : { groupId: of.groupId }),
  })
  return items.map(({ id, name }) => ({ value: String(id), label: name }))
}

/** Doors: twins of this type. */
export async function loadDoors(search: string) {
  const input = { limit: offered, types: ['door' as const], ...(search ? { search } : {}) }
  const { items } = await client.digitaltwin.list(input)
  return items.map(({ id, title, parentTitle }) => ({
    value: String(id),
    label: parentTitle === null ? title : `${title} – ${parentTitle}`,
  }))
}
