import type { Api } from '../client.ts'
import type { City, CityIds } from './build.ts'
import { buildClinic } from './clinic.ts'
import { buildPool } from './pool.ts'

/** What operators of the demo city have arranged: smart groups, a device template, a scheduled export, tickets, a clinic, a pool. */
export async function arrange(api: Api, city: City, ids: CityIds): Promise<void> {
  await buildGroups(api, ids)
  await buildTemplate(api, city, ids)
  await buildSchedule(api, ids)
  await buildTickets(api)
  await buildClinic(api, ids)
  await buildPool(api, ids)
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

/** What people have reported: the newest is the last. */
const tickets = [
  {
    place: 'Rathaus Obergeschoss',
    type: 'heatingFailure',
    subject: 'Heizkörper im Flur bleibt kalt',
    comment: 'Seit Montag, auch bei Stufe 5.',
    state: 2,
    priority: 'normal',
    answer: 'Entlüftet, wird wieder warm.',
  },
  {
    place: 'Grundschule am Park',
    type: 'waterLeakage',
    subject: 'Wasserhahn in der Küche tropft',
    comment: 'Der Eimer ist jeden Morgen voll.',
    state: 1,
    priority: 'high',
    answer: 'Dichtung bestellt, kommt am Donnerstag.',
  },
  {
    place: 'Schule Erdgeschoss',
    type: 'defect',
    subject: 'Fenster in Raum 3 schließt nicht',
    comment: '',
    state: 0,
    priority: 'normal',
    answer: null,
  },
  {
    place: 'Marktplatz',
    type: 'pollution',
    subject: 'Scherben neben den Glascontainern',
    comment: 'Auf dem Gehweg, dort laufen Kinder.',
    state: 0,
    priority: 'urgent',
    answer: null,
  },
  {
    place: 'Haupteingang Rathaus',
    type: 'powerFailure',
    subject: 'Klingel ohne Strom',
    comment: '',
    state: 0,
    priority: 'low',
    answer: null,
  },
] as const

async function buildTickets(api: Api): Promise<void> {
  for (const { place, state, priority, answer, ...report } of tickets) {
    const { items } = await api.digitaltwin.list({ search: `"${place}"`, limit: 1 })
    const twinId = items[0]?.id
    if (twinId === undefined) continue
    const known = await api.isFmTicket.list({ search: `"${report.subject}"`, limit: 1 })
    if (known.total > 0) continue
    const { id } = await api.isFmTicket.create({ ...report, twinId, priority })
    if (state > 0) await api.isFmTicket.setState({ id, state })
    if (answer !== null) await api.isFmTicket.comment({ id, text: answer })
  }
}
