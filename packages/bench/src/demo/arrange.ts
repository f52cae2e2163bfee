import type { Api } from '../client.ts'
import type { City, CityIds } from './build.ts'

/** What operators of the demo city have arranged: smart groups, a device template, a scheduled export. */
export async function arrange(api: Api, city: City, ids: CityIds): Promise<void> {
  await buildGroups(api, ids)
  await buildTemplate(api, city, ids)
  await buildSchedule(api, ids)
}

const groups = [
  {
    title: 'Raumklima',
    description: 'Sensoren in Räumen, die alle halbe Stunde senden',
    filter: { tags: ['Klima'] },
    monitoring: {
      expected: 'number' as const,
      packetsPerDay: 48,
      windowHours: 24,
      threshold: 80,
      hysteresis: 5,
    },
  },
  { title: 'Stellplätze', description: 'Alle Sensoren im Parkraum', filter: { tags: ['Parken'] } },
  {
    title: 'Mit Fehler',
    description: 'Was sich heute jemand ansehen sollte',
    filter: { health: [2] },
  },
]

async function buildGroups(api: Api, { accounts }: CityIds): Promise<void> {
  const { items } = await api.smartGroup.list({ limit: 100, tenantIds: [accounts.city] })
  for (const { filter, ...group } of groups) {
    if (items.some(({ title }) => title === group.title)) continue
    const below = { ...filter, account_ids: Object.values(accounts) }
    await api.smartGroup.create({ ...group, filter: below, accountId: accounts.city })
  }
}

const templateTitle = 'Stellplatzsensor'

/** As the parking sensors are set up. */
async function buildTemplate(api: Api, { devices }: City, { accounts }: CityIds): Promise<void> {
  const { items } = await api.deviceTemplate.list({ search: templateTitle, accountIds: [accounts.streets] })
  const model = devices.find(({ spec }) => spec.tags.includes('Parken'))
  if (items.length > 0 || model === undefined) return
  const { connectorId, driverId } = await api.virtualdevice.get({ id: model.id })
  if (driverId === null) return
  const { id, version } = await api.deviceTemplate.create({
    accountId: accounts.streets,
    title: templateTitle,
    description: 'Bodensensor für einen Stellplatz, meldet belegt oder frei',
    content: {
      driverId,
      connectorId,
      states: [
        { key: 'occupied', title: 'Belegt', source: 'connector', sourceSettings: { variable: 'occupied' } },
      ],
    },
  })
  await api.deviceTemplate.publishAndSync({ id, version })
}

const scheduleTitle = 'Zählerstände zum Monatsanfang'

async function buildSchedule(api: Api, { accounts }: CityIds): Promise<void> {
  const { items } = await api.exportSchedules.list({ search: scheduleTitle })
  if (items.length > 0) return
  await api.exportSchedules.create({
    title: scheduleTitle,
    accountId: accounts.buildings,
    content: {
      kind: 'values',
      selection: { of: 'virtualDevices', filter: { search_items: ['Wasserzähler'] } },
      values: { kind: 'reading', duration: '1mo' },
      format: 'xlsx',
    },
    range: { which: 'last', unit: 'month' },
    frequency: { every: 'month', day: 1, time: '06:00' },
    // Nobody listens there.
    active: false,
    targets: [
      {
        kind: 'file',
        target: {
          kind: 'sftp',
          host: 'archiv.musterstadt.example',
          port: 22,
          username: 'zaehler',
          signIn: 'password',
          fingerprint: 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
        },
        secret: 'nur ein Beispiel',
      },
    ],
  })
}
