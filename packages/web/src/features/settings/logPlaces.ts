/** Pages of things by the name of their id in the log. */
const places: Readonly<Record<string, string>> = {
  accountId: '/account-mgmt',
  deviceId: '/virtual-devices',
  twinId: '/digitaltwin-mgmt',
}

/** Pure. The page of a thing that an entry of the log concerns; null: it has none that can be named. */
export function placeOf(name: string, about: Readonly<Record<string, number>>): string | null {
  const { accountId, connectorId, [name]: id } = about
  if (id === undefined) return null
  if (name === 'connectorId' && accountId !== undefined) return `/connectors/edit/${accountId}/${connectorId}`
  if (name === 'userId' && accountId !== undefined) return `/account-mgmt/user/${accountId}/${id}`
  if (name === 'jobId') return `/background-jobs?job=${id}`
  const path = Object.hasOwn(places, name) ? places[name] : undefined
  return path === undefined ? null : `${path}/${id}`
}
