import type { Api } from '../client.ts'
import type { City, CityIds } from './build.ts'

/** What people have done in the demo city: a sensor watched more closely, a bulk edit, an import. */
export async function doWork(api: Api, city: City, ids: CityIds): Promise<void> {
  await watchSilentDevices(api, city)
  const { items } = await api.job.list({ limit: 100 })
  const isNew = (title: string) => !items.some((job) => job.title === title)
  if (isNew(editTitle)) await editSpaces(api, city)
  if (isNew(importTitle)) await importSpaces(api, ids)
}

/** A day without a value is an error for a device that has fallen silent. */
async function watchSilentDevices(api: Api, { devices }: City): Promise<void> {
  for (const { id, spec } of devices) {
    if (spec.silentDays === undefined) continue
    const { version, source } = await api.health.get({ id })
    if (source === 'own') continue
    const silent = {
      identifier: 'silent',
      category: 'connectivity' as const,
      type: 'error' as const,
      description: 'Seit einem Tag kein Messwert',
      olderThanDuration: 24 * 60,
      olderThanVariable: 'occupied',
    }
    await api.health.updateConfig({ id, version, x: 'own', config: { entries: [silent] } })
  }
}

const editTitle = 'Zuständigkeit der Stellplätze eingetragen'

/** A finished bulk edit. */
async function editSpaces(api: Api, { devices }: City): Promise<void> {
  const spaces = devices.filter(({ spec }) => spec.tags.includes('Parken'))
  await api.bulk.edit({
    title: editTitle,
    selection: { ids: spaces.map(({ id }) => id) },
    mode: {
      kind: 'edit',
      changes: {
        tags: { add: ['Innenstadt'] },
        keyValues: { set: { Zuständig: 'Ordnungsamt', Wartungsvertrag: 'PV-2024-17' } },
      },
    },
  })
}

const importTitle = 'Neue Stellplätze Bahnhofstraße'
/** Of the third sensor somebody mistyped the number, the fifth is the second again. */
const rows = [
  ['Stellplatz Bahnhof 1', '70B3D57ED05B0011'],
  ['Stellplatz Bahnhof 2', '70B3D57ED05B0022'],
  ['Stellplatz Bahnhof 3', '70B3D57ED05B0O33'],
  ['Stellplatz Bahnhof 4', '70B3D57ED05B0044'],
  ['Stellplatz Bahnhof 5', '70B3D57ED05B0022'],
]

/** An import of sensors that are not mounted yet; two of its rows fail. */
async function importSpaces(api: Api, { accounts, twins }: CityIds): Promise<void> {
  const csv = ['Bezeichnung;DevEUI', ...rows.map((row) => row.join(';'))].join('\r\n')
  const file = new File([csv], 'stellplaetze-bahnhofstrasse.csv', { type: 'text/csv' })
  const { items: connectors } = await api.bridge.list({ limit: 100, accountIds: [accounts.streets] })
  const connector = connectors.find(({ kind }) => kind === 'mqtt-broker')
  const { items: drivers } = await api.devicedrivers.list({ limit: 100, search: 'NPS310' })
  const parentId = twins.get('Bahnhofstraße')
  if (connector === undefined || parentId === undefined) throw new Error('the import has no place')
  const { id: uploadId } = await api.bulk.upload({ file })
  await api.bulk.import({
    title: importTitle,
    uploadId,
    settings: {
      connectorId: connector.id,
      columns: [
        { column: 0, target: 'title' },
        { column: 1, target: 'externalId' },
      ],
      driverId: drivers[0]?.id ?? null,
      operationalStatus: 2,
      parentId,
      tags: ['Parken'],
    },
    skipFaulty: true,
  })
}
