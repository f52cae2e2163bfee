import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import type { Api } from '../client.ts'
import type { CityIds } from './build.ts'
import { place } from './city.ts'

const clinic = 'Klinik am Stadtpark'
/** Middle of the clinic, in thousandths of a degree from that of the city. */
const [north, east] = [-3.2, 4.1]

/** A rectangle around a place of the clinic. */
function rectangle(up: number, right: number, height: number, width: number): GeoPolygon {
  const corner = (y: number, x: number) => {
    const { latitude, longitude } = place(north + up + y * height, east + right + x * width)
    return [longitude, latitude].map((degrees) => Number(degrees.toFixed(6)))
  }
  return {
    type: 'Polygon',
    coordinates: [
      [corner(-0.5, -0.5), corner(-0.5, 0.5), corner(0.5, 0.5), corner(0.5, -0.5), corner(-0.5, -0.5)],
    ],
  }
}

const zones = [
  { title: 'Station 1', polygon: rectangle(0.35, -0.55, 0.5, 0.9) },
  { title: 'Station 2', polygon: rectangle(0.35, 0.55, 0.5, 0.9) },
  { title: 'Notaufnahme', polygon: rectangle(-0.35, -0.55, 0.5, 0.9) },
  { title: 'Gerätelager', polygon: rectangle(-0.35, 0.55, 0.5, 0.9) },
] as const

type ZoneTitle = (typeof zones)[number]['title']

/** Where each asset belongs and is. */
const assets: readonly {
  title: string
  category: string
  inventoryNumber: string
  homeZone: ZoneTitle
  at: readonly [up: number, right: number]
  lentTo?: string
}[] = [
  ...Array.from({ length: 8 }, (_, n) => ({
    title: `Infusionspumpe ${n + 1}`,
    category: 'Infusionspumpe',
    inventoryNumber: `IP-${String(n + 1).padStart(3, '0')}`,
    homeZone: 'Gerätelager' as const,
    at: n < 5 ? ([-0.42 + n * 0.04, 0.3 + n * 0.1] as const) : ([0.3 + n * 0.02, -0.8 + n * 0.08] as const),
  })),
  {
    title: 'Ultraschallgerät',
    category: 'Diagnostik',
    inventoryNumber: 'US-001',
    homeZone: 'Notaufnahme',
    at: [-0.3, -0.6],
  },
  {
    title: 'Defibrillator',
    category: 'Notfall',
    inventoryNumber: 'DF-001',
    homeZone: 'Notaufnahme',
    at: [0.4, 0.6],
  },
  {
    title: 'Rollstuhl 1',
    category: 'Rollstuhl',
    inventoryNumber: 'RS-001',
    homeZone: 'Station 1',
    at: [0.32, -0.4],
  },
  {
    title: 'Rollstuhl 2',
    category: 'Rollstuhl',
    inventoryNumber: 'RS-002',
    homeZone: 'Station 1',
    at: [-0.9, 0.1],
    lentTo: 'Physiotherapie',
  },
  {
    title: 'Bett 17',
    category: 'Bett',
    inventoryNumber: 'BT-017',
    homeZone: 'Station 2',
    at: [0.4, 0.5],
  },
]

/** A clinic that looks for its pumps: zones, and assets in and outside of them. */
export async function buildClinic(api: Api, { accounts }: CityIds): Promise<void> {
  const known = await api.digitaltwin.list({ search: `"${clinic}"`, limit: 1 })
  if (known.total > 0) return
  const { id: parentId } = await api.digitaltwin.create({
    accountId: accounts.buildings,
    parentId: null,
    title: clinic,
    type: 'building',
    ...place(north, east),
  })
  for (const { title, polygon } of zones)
    await api.digitaltwin.create({ parentId, title, type: 'zone', geoPolygon: polygon })
  const rows = assets.map(({ title, category, inventoryNumber, homeZone }) => {
    return { title, category, inventoryNumber, homeZone }
  })
  const { ids } = await api.isAssetMgmt.import({ parentId, rows })
  for (const [index, { at, lentTo }] of assets.entries()) {
    const id = ids[index]
    if (id === undefined) continue
    const twin = await api.digitaltwin.get({ id })
    await api.digitaltwin.update({ ...twin, ...place(north + at[0], east + at[1]) })
    if (lentTo !== undefined) await api.isAssetMgmt.lend({ id, borrower: lentTo, dueAt: null })
  }
}
