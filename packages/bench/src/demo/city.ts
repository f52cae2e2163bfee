import type { GeoPolygon } from '@leitstand/contract/geoPolygon'
import type { DeviceKey, Uplink } from '../devices/index.ts'
import { type Box, middleOf, roomOf } from './floorPlans.ts'

/** The demo city as data: its objects, positions and measurements. Names and places are invented. */

export type Network = 'tts' | 'chirpstack'

export interface DeviceSpec {
  title: string
  driver: DeviceKey
  network: Network
  /** title of the parent twin */
  parent: string
  tags: string[]
  /** minutes between two uplinks in the history; live it is faster */
  everyMinutes: number
  /** it fell silent so many days before the city was built */
  silentDays?: number
  /** `since`: when the city was built */
  uplink(at: number, since: number): Uplink
}

export interface TwinSpec {
  title: string
  type: 'default' | 'building' | 'floor' | 'room' | 'door' | 'zone'
  parent: string | null
  department: keyof typeof departments
  latitude: number
  longitude: number
  address?: string
  floorNumber?: number
  geoPolygon?: GeoPolygon
  tags?: string[]
  /** states taken over from the devices below, by variable */
  follows?: {
    key: string
    title: string
    unit: string
    device: string
    variable?: string
    max?: number
    upper?: number
  }[]
  /** states computed from states of other twins */
  aggregates?: {
    key: string
    title: string
    unit: string
    method: 'avg' | 'max' | 'sum' | 'count'
    of: [twin: string, key: string][]
  }[]
}

export const cityName = 'Stadt Sonnenhausen'
export const departments = { buildings: 'Gebäudewirtschaft', streets: 'Straßen und Umwelt' } as const

const [lat, lon] = [50.9812, 11.0325]
const near = (north: number, east: number) => ({ latitude: lat + north / 1000, longitude: lon + east / 1000 })

export { near as place }

/** A polygon through these corners, in the units of `near`. */
function area(...corners: [north: number, east: number][]): GeoPolygon {
  const ring = corners.map(([north, east]) =>
    [lon + east / 1000, lat + north / 1000].map((degrees) => Number(degrees.toFixed(6))),
  )
  return { type: 'Polygon', coordinates: [[...ring, ...ring.slice(0, 1)]] }
}

const boxArea = ([south, west, north, east]: Box) =>
  area([south, west], [south, east], [north, east], [north, west])

/** A room on the plan of its floor. */
const room = (title: string, parent: string, floorNumber: number, device: string, co2 = false): TwinSpec => ({
  ...space(title, parent, middleOf(roomOf(title)), floorNumber, device, co2),
  geoPolygon: boxArea(roomOf(title)),
})

const space = (
  title: string,
  parent: string,
  place: [number, number],
  floorNumber: number,
  device: string,
  co2 = false,
): TwinSpec => ({
  title,
  type: 'room',
  parent,
  department: 'buildings',
  ...near(...place),
  floorNumber,
  tags: ['Raumklima'],
  follows: [
    { key: 'temperature', title: 'Temperatur', unit: '°C', device, upper: 26 },
    { key: 'humidity', title: 'Luftfeuchte', unit: '%', device },
    ...(co2 ? [{ key: 'co2', title: 'CO₂', unit: 'ppm', device, upper: 1000 }] : []),
  ],
})

const classRooms = ['Klasse 1a', 'Klasse 1b', 'Klasse 2a', 'Klasse 2b']
const hallRooms = ['Foyer', 'Bürgerbüro', 'Serverraum', 'Ratssaal', 'Büro 1.01', 'Büro 1.02', 'Büro 1.03']
export const spaces = [1, 2, 3, 4, 5, 6]
/** its sensor no longer answers */
export const silentSpace = 5

export const twins: TwinSpec[] = [
  {
    title: 'Rathaus',
    type: 'building',
    parent: null,
    department: 'buildings',
    ...near(0, 0),
    address: 'Marktplatz 1, Sonnenhausen',
    tags: ['Verwaltung'],
    follows: [
      { key: 'water', title: 'Wasserzähler', unit: 'm³', device: 'Wasserzähler Rathaus', variable: 'volume' },
      {
        key: 'pulses',
        title: 'Stromimpulse',
        unit: '',
        device: 'Stromzähler Rathaus',
        variable: 'pulse_count',
      },
    ],
    aggregates: [
      {
        key: 'temperature',
        title: 'Temperatur im Mittel',
        unit: '°C',
        method: 'avg',
        of: hallRooms.filter((name) => name !== 'Serverraum').map((name) => [name, 'temperature']),
      },
      {
        key: 'co2_max',
        title: 'Höchstes CO₂',
        unit: 'ppm',
        method: 'max',
        of: [
          ['Bürgerbüro', 'co2'],
          ['Ratssaal', 'co2'],
        ],
      },
    ],
  },
  {
    title: 'Rathaus Erdgeschoss',
    type: 'floor',
    parent: 'Rathaus',
    department: 'buildings',
    ...near(0, 0),
    floorNumber: 0,
  },
  {
    title: 'Rathaus Obergeschoss',
    type: 'floor',
    parent: 'Rathaus',
    department: 'buildings',
    ...near(0, 0),
    floorNumber: 1,
  },
  room('Foyer', 'Rathaus Erdgeschoss', 0, 'Klima Foyer'),
  room('Bürgerbüro', 'Rathaus Erdgeschoss', 0, 'Klima Bürgerbüro', true),
  room('Serverraum', 'Rathaus Erdgeschoss', 0, 'Klima Serverraum'),
  room('Ratssaal', 'Rathaus Obergeschoss', 1, 'Klima Ratssaal', true),
  room('Büro 1.01', 'Rathaus Obergeschoss', 1, 'Klima Büro 1.01'),
  room('Büro 1.02', 'Rathaus Obergeschoss', 1, 'Klima Büro 1.02'),
  room('Büro 1.03', 'Rathaus Obergeschoss', 1, 'Klima Büro 1.03'),
  {
    title: 'Haupteingang Rathaus',
    type: 'door',
    parent: 'Rathaus Erdgeschoss',
    department: 'buildings',
    ...near(0.06, 0),
    follows: [{ key: 'open', title: 'Tür offen', unit: '', device: 'Tür Haupteingang' }],
  },
  {
    title: 'Grundschule am Park',
    type: 'building',
    parent: null,
    department: 'buildings',
    ...near(4.1, 3.2),
    address: 'Parkstraße 12, Sonnenhausen',
    tags: ['Schule'],
    follows: [
      { key: 'water', title: 'Wasserzähler', unit: 'm³', device: 'Wasserzähler Schule', variable: 'volume' },
      {
        key: 'water_status',
        title: 'Meldung des Wasserzählers',
        unit: '',
        device: 'Wasserzähler Schule',
        variable: 'status_code',
      },
    ],
    aggregates: [
      {
        key: 'temperature',
        title: 'Temperatur im Mittel',
        unit: '°C',
        method: 'avg',
        of: classRooms.map((name) => [name, 'temperature']),
      },
      {
        key: 'co2_max',
        title: 'Höchstes CO₂',
        unit: 'ppm',
        method: 'max',
        of: classRooms.map((name) => [name, 'co2']),
      },
    ],
  },
  {
    title: 'Schule Erdgeschoss',
    type: 'floor',
    parent: 'Grundschule am Park',
    department: 'buildings',
    ...near(4.1, 3.2),
    floorNumber: 0,
  },
  ...classRooms.map((name) => room(name, 'Schule Erdgeschoss', 0, `CO₂ ${name}`, true)),
  room('Lehrerzimmer', 'Schule Erdgeschoss', 0, 'Klima Lehrerzimmer'),
  space('Turnhalle', 'Grundschule am Park', [4.5, 3.6], 0, 'Klima Turnhalle'),
  {
    title: 'Marktplatz',
    type: 'zone',
    parent: null,
    department: 'streets',
    ...near(-0.6, 0.9),
    geoPolygon: area([-0.3, 0.3], [-0.3, 1.5], [-0.9, 1.6], [-1, 0.4]),
    tags: ['Parken'],
    follows: spaces.map((space) => ({
      key: `space_${space}`,
      title: `Stellplatz ${space}`,
      unit: '',
      device: `Stellplatz ${space}`,
      variable: 'occupied',
    })),
    aggregates: [
      {
        key: 'occupied',
        title: 'Belegte Stellplätze',
        unit: '',
        method: 'sum',
        of: spaces.map((space) => ['Marktplatz', `space_${space}`]),
      },
    ],
  },
  {
    title: 'Wertstoffinsel Marktplatz',
    type: 'default',
    parent: 'Marktplatz',
    department: 'streets',
    ...near(-0.9, 1.4),
    follows: [
      {
        key: 'glass',
        title: 'Füllstand Glas',
        unit: '%',
        device: 'Glascontainer Marktplatz',
        variable: 'fill_level',
        upper: 85,
      },
      {
        key: 'paper',
        title: 'Füllstand Papier',
        unit: '%',
        device: 'Papiercontainer Marktplatz',
        variable: 'fill_level',
        upper: 85,
      },
    ],
  },
  {
    title: 'Bahnhofstraße',
    type: 'default',
    parent: null,
    department: 'streets',
    ...near(-3.4, -2.1),
    tags: ['Luft', 'Lärm'],
    follows: [
      { key: 'pm2_5', title: 'Feinstaub PM2,5', unit: 'µg/m³', device: 'Feinstaub Bahnhofstraße', upper: 25 },
      { key: 'sound_level', title: 'Schallpegel', unit: 'dB', device: 'Schallpegel Bahnhofstraße' },
    ],
  },
  {
    title: 'Ringstraße',
    type: 'default',
    parent: null,
    department: 'streets',
    ...near(2.2, -4.4),
    tags: ['Luft'],
    follows: [
      { key: 'pm2_5', title: 'Feinstaub PM2,5', unit: 'µg/m³', device: 'Feinstaub Ringstraße', upper: 25 },
    ],
  },
  {
    title: 'Mühlbach',
    type: 'default',
    parent: null,
    department: 'streets',
    ...near(-5.2, 4.8),
    tags: ['Pegel'],
    follows: [
      {
        key: 'distance_bridge',
        title: 'Abstand zum Wasser, Brücke',
        unit: 'mm',
        device: 'Pegel Mühlbachbrücke',
        variable: 'distance',
      },
      {
        key: 'distance_weir',
        title: 'Abstand zum Wasser, Wehr',
        unit: 'mm',
        device: 'Pegel Wehr',
        variable: 'distance',
      },
    ],
  },
  {
    title: 'Stadtpark',
    type: 'zone',
    parent: null,
    department: 'streets',
    ...near(5.4, 4.6),
    geoPolygon: area([6.9, 3.2], [7.1, 5.1], [5.8, 6.4], [4.2, 6], [3.9, 4.1], [5, 3]),
    tags: ['Grünflächen'],
    follows: [
      { key: 'temperature', title: 'Lufttemperatur', unit: '°C', device: 'Wetterstation Stadtpark' },
      { key: 'wind_speed', title: 'Wind', unit: 'm/s', device: 'Wetterstation Stadtpark' },
      { key: 'rain', title: 'Niederschlag', unit: 'mm', device: 'Wetterstation Stadtpark' },
      {
        key: 'soil_north',
        title: 'Bodenfeuchte Nord',
        unit: '%',
        device: 'Bodenfeuchte Nord',
        variable: 'soil_moisture',
      },
      {
        key: 'soil_south',
        title: 'Bodenfeuchte Süd',
        unit: '%',
        device: 'Bodenfeuchte Süd',
        variable: 'soil_moisture',
      },
      {
        key: 'soil_rose',
        title: 'Bodenfeuchte Rosengarten',
        unit: '%',
        device: 'Bodenfeuchte Rosengarten',
        variable: 'soil_moisture',
      },
    ],
    aggregates: [
      {
        key: 'soil_moisture',
        title: 'Bodenfeuchte im Mittel',
        unit: '%',
        method: 'avg',
        of: [
          ['Stadtpark', 'soil_north'],
          ['Stadtpark', 'soil_south'],
          ['Stadtpark', 'soil_rose'],
        ],
      },
    ],
  },
]
