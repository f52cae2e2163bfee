import { all, holds, type Row, row } from './row.ts'
import type { World } from './world.ts'

const read = 'IsAssetMgmt read or IsAssetMgmt manage'
const manage = 'IsAssetMgmt manage'

/** An asset of the account. */
async function asset(world: World) {
  const { id: parentId } = await world.twin()
  const title = world.unique('Pump')
  const api = world.app.api.isAssetMgmt
  const { ids } = await api.import({ parentId, rows: [{ title }] })
  const id = ids[0] as number
  const { version } = await api.get({ id })
  return { id, version, title, parentId }
}
const lent = async (world: World) => {
  const made = await asset(world)
  await world.app.api.isAssetMgmt.lend({ id: made.id, borrower: 'Ward 5', dueAt: null })
  return made
}
const tracked = async (world: World) => {
  const made = await asset(world)
  const { id: deviceId } = await world.device()
  await world.app.api.isAssetMgmt.bindTracker({ id: made.id, deviceId })
  return made
}
const zone = async (world: World) => {
  const { id: parentId } = await world.twin()
  const corners = [
    [10, 50],
    [11, 50],
    [11, 51],
    [10, 50],
  ]
  const geoPolygon = { type: 'Polygon' as const, coordinates: [corners] }
  const title = world.unique('Ward')
  return world.app.api.digitaltwin.create({ parentId, title, type: 'zone', geoPolygon })
}

export const assets: Record<string, Row> = {
  'isAssetMgmt.fetch': row({
    needs: read,
    given: asset,
    call: (api) => api.isAssetMgmt.fetch(all),
    shows: holds,
  }),
  'isAssetMgmt.categoriesZones': row({
    needs: read,
    given: zone,
    call: (api) => api.isAssetMgmt.categoriesZones({}),
    shows: ({ zones }, { id }) => zones.some((zone) => zone.id === id),
  }),
  'isAssetMgmt.geo': row({
    needs: read,
    given: async (world) => {
      const made = await asset(world)
      const place = { latitude: 50, longitude: 10 }
      await world.app.ctx.db.updateTable('twins').set(place).where('id', '=', made.id).execute()
      return made
    },
    call: (api, { title }) => api.isAssetMgmt.geo({ zoom: 3, search: `"${title}"` }),
    shows: ({ count }) => count === 1,
  }),
  'isAssetMgmt.exportFile': row({
    needs: read,
    given: asset,
    call: async (api, { title }) => {
      const { body } = await api.isAssetMgmt.exportFile({ search: `"${title}"` })
      return new Response(body as Blob).text()
    },
    shows: (text, { title }) => text.includes(title),
  }),
  'isAssetMgmt.zones': row({
    needs: read,
    given: zone,
    call: (api) => api.isAssetMgmt.zones(all),
    shows: holds,
  }),
  'isAssetMgmt.devices': row({
    needs: manage,
    // Devices are seen with the right to read them.
    alone: false,
    given: (world) => world.device(),
    call: (api) => api.isAssetMgmt.devices(all),
    shows: holds,
  }),
  'isAssetMgmt.import': row({
    needs: manage,
    // Assets are twins.
    alone: false,
    given: (world) => world.twin(),
    call: (api, { id }) => api.isAssetMgmt.import({ parentId: id, rows: [{ title: 'Pump' }] }),
  }),
  'isAssetMgmt.get': row({ needs: read, given: asset, call: (api, { id }) => api.isAssetMgmt.get({ id }) }),
  'isAssetMgmt.update': row({
    needs: manage,
    given: asset,
    call: (api, { id, version }) =>
      api.isAssetMgmt.update({ id, version, category: 'Pump', inventoryNumber: '', homeZoneId: null }),
  }),
  'isAssetMgmt.bindTracker': row({
    needs: manage,
    // Devices are seen with the right to read them.
    alone: false,
    given: async (world) => ({ ...(await asset(world)), deviceId: (await world.device()).id }),
    call: (api, { id, deviceId }) => api.isAssetMgmt.bindTracker({ id, deviceId }),
  }),
  'isAssetMgmt.unbindTracker': row({
    needs: manage,
    given: tracked,
    call: (api, { id }) => api.isAssetMgmt.unbindTracker({ id }),
  }),
  'isAssetMgmt.trackers': row({
    needs: read,
    given: tracked,
    call: (api, { id }) => api.isAssetMgmt.trackers({ id, ...all }),
  }),
  'isAssetMgmt.stays': row({
    needs: read,
    given: asset,
    call: (api, { id }) => api.isAssetMgmt.stays({ id, ...all }),
  }),
  'isAssetMgmt.track': row({
    needs: read,
    given: asset,
    call: (api, { id }) => api.isAssetMgmt.track({ id }),
  }),
  'isAssetMgmt.lend': row({
    needs: manage,
    given: asset,
    call: (api, { id }) => api.isAssetMgmt.lend({ id, borrower: 'Ward 5', dueAt: null }),
  }),
  'isAssetMgmt.giveBack': row({
    needs: manage,
    given: lent,
    call: (api, { id }) => api.isAssetMgmt.giveBack({ id }),
  }),
  'isAssetMgmt.loans': row({
    needs: read,
    given: lent,
    call: (api, { id }) => api.isAssetMgmt.loans({ id, ...all }),
  }),
}
