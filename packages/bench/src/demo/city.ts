import { type DeviceKey, devices, type Uplink } from '../devices/index.ts'
import * as curve from './curves.ts'

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
  uplink(at: number): Uplink
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

const room = (
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
const spaces = [1, 2, 3, 4, 5, 6]

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
  room('Foyer', 'Rathaus Erdgeschoss', [-0.05, 0], 0, 'Klima Foyer'),
  room('Bürgerbüro', 'Rathaus Erdgeschoss', [0.05, 0.06], 0, 'Klima Bürgerbüro', true),
  room('Serverraum', 'Rathaus Erdgeschoss', [0.08, -0.06], 0, 'Klima Serverraum'),
  room('Ratssaal', 'Rathaus Obergeschoss', [0.02, 0.1], 1, 'Klima Ratssaal', true),
  room('Büro 1.01', 'Rathaus Obergeschoss', [0.06, 0.03], 1, 'Klima Büro 1.01'),
  room('Büro 1.02', 'Rathaus Obergeschoss', [0.06, -0.02], 1, 'Klima Büro 1.02'),
  room('Büro 1.03', 'Rathaus Obergeschoss', [0.06, -0.07], 1, 'Klima Büro 1.03'),
  {
    title: 'Haupteingang Rathaus',
    type: 'door',
    parent: 'Rathaus Erdgeschoss',
    department: 'buildings',
    ...near(-0.09, 0),
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
  ...classRooms.map((name, index) =>
    room(name, 'Schule Erdgeschoss', [4.05 + index * 0.05, 3.1 + index * 0.06], 0, `CO₂ ${name}`, true),
  ),
  room('Lehrerzimmer', 'Schule Erdgeschoss', [4.3, 3.2], 0, 'Klima Lehrerzimmer'),
  room('Turnhalle', 'Grundschule am Park', [4.5, 3.6], 0, 'Klima Turnhalle'),
  {
    title: 'Marktplatz',
    type: 'zone',
    parent: null,
    department: 'streets',
    ...near(-0.6, 0.9),
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

type Values<K extends DeviceKey> = (at: number, seed: number) => Parameters<(typeof devices)[K]>[0]
let seeds = 100

function device<K extends DeviceKey>(
  driver: K,
  network: Network,
  title: string,
  parent: string,
  tags: string[],
  values: Values<K>,
  everyMinutes = 30,
): DeviceSpec {
  const seed = seeds++ * 17
  const encode = devices[driver] as (values: Parameters<(typeof devices)[K]>[0]) => Uplink
  return { title, driver, network, parent, tags, everyMinutes, uplink: (at) => encode(values(at, seed)) }
}

const round = (value: number, digits = 1) => Number(value.toFixed(digits))
const climate = (at: number, seed: number, base: number) => ({
  temperature: round(curve.roomTemperature(seed, at, base)),
  humidity: Math.round(curve.roomHumidity(seed, at)),
})
const office = (seed: number, at: number) => curve.presence(seed, at, 7.5, 17.5)
const school = (seed: number, at: number) => curve.presence(seed, at, 7.75, 13.5)
const klima = ['Klima']

export const deviceSpecs: DeviceSpec[] = [
  device('elsys-ers', 'tts', 'Klima Foyer', 'Foyer', klima, (at, seed) => ({
    ...climate(at, seed, 20.5),
    illuminance: Math.round(40 + 420 * curve.daylight(at)),
    motion_count: Math.round(14 * office(seed, at)),
    battery_voltage: 3.58,
  })),
  device('milesight-am107', 'tts', 'Klima Bürgerbüro', 'Bürgerbüro', klima, (at, seed) =>
    am107(at, seed, 21.8, office(seed, at), 620),
  ),
  device('dragino-lht65', 'tts', 'Klima Serverraum', 'Serverraum', klima, (at, seed) => ({
    temperature: round(
      24.3 + 1.1 * curve.drift(seed, at, 7_200_000) + 0.1 * curve.drift(seed, at, 60_000),
      2,
    ),
    humidity: 35,
    battery_voltage: 3.02,
  })),
  device('milesight-am107', 'tts', 'Klima Ratssaal', 'Ratssaal', klima, (at, seed) =>
    am107(at, seed, 20.9, curve.presence(seed, at, 16, 20), 900),
  ),
  ...['1.01', '1.02'].map((number) =>
    device('dragino-lht65', 'tts', `Klima Büro ${number}`, `Büro ${number}`, klima, (at, seed) => ({
      ...climate(at, seed, 21.6),
      battery_voltage: 3.05,
    })),
  ),
  device('elsys-ers', 'tts', 'Klima Büro 1.03', 'Büro 1.03', klima, (at, seed) => ({
    ...climate(at, seed, 21.2),
    illuminance: Math.round(30 + 380 * curve.daylight(at)),
    motion_count: Math.round(6 * office(seed, at)),
    battery_voltage: 3.61,
  })),
  device('browan-merryiot-dw10', 'tts', 'Tür Haupteingang', 'Haupteingang Rathaus', ['Türen'], door),
  device('browan-tbwl100', 'tts', 'Leckage Technikraum', 'Rathaus Erdgeschoss', ['Leckage'], leak),
  device(
    'axioma-qalcosonic-w1',
    'tts',
    'Wasserzähler Rathaus',
    'Rathaus',
    ['Zähler'],
    (at, seed) => water(at, seed, 1240, 1.9),
    60,
  ),
  device(
    'adeunis-pulse',
    'tts',
    'Stromzähler Rathaus',
    'Rathaus',
    ['Zähler'],
    (at, seed) => ({
      pulse_count: Math.round(curve.meter(seed, at, 4_200_000, 21_000)),
      pulse_count_2: 0,
    }),
    60,
  ),
  ...['Klasse 1a', 'Klasse 1b'].map((name) =>
    device('browan-merryiot-cd10', 'tts', `CO₂ ${name}`, name, klima, (at, seed) => ({
      co2: Math.round(curve.roomCo2(seed, at, school(seed, at), 980)),
      temperature: Math.round(curve.roomTemperature(seed, at, 21.5)),
      humidity: Math.round(curve.roomHumidity(seed, at)),
      battery_voltage: 3.5,
    })),
  ),
  ...['Klasse 2a', 'Klasse 2b'].map((name) =>
    device('milesight-am107', 'tts', `CO₂ ${name}`, name, klima, (at, seed) =>
      am107(at, seed, 21.3, school(seed, at), 860),
    ),
  ),
  device('elsys-ers', 'tts', 'Klima Lehrerzimmer', 'Lehrerzimmer', klima, (at, seed) => ({
    ...climate(at, seed, 21.9),
    illuminance: Math.round(60 + 300 * curve.daylight(at)),
    motion_count: Math.round(9 * school(seed, at)),
    battery_voltage: 3.55,
  })),
  device('dragino-lht65', 'tts', 'Klima Turnhalle', 'Turnhalle', klima, (at, seed) => ({
    ...climate(at, seed, 18.2),
    battery_voltage: 2.98,
  })),
  device('browan-merryiot-dw10', 'tts', 'Tür Schuleingang', 'Schule Erdgeschoss', ['Türen'], door),
  device('browan-tbwl100', 'tts', 'Leckage Heizungskeller', 'Grundschule am Park', ['Leckage'], leak),
  device(
    'axioma-qalcosonic-w1',
    'tts',
    'Wasserzähler Schule',
    'Grundschule am Park',
    ['Zähler'],
    (at, seed) => water(at, seed, 860, 3.4),
    60,
  ),

  ...spaces.map((space) =>
    space <= 3
      ? device('nwave-nps310', 'chirpstack', `Stellplatz ${space}`, 'Marktplatz', ['Parken'], (at, seed) => ({
          occupied: curve.parked(seed, at),
        }))
      : device('bosch-tpl110', 'chirpstack', `Stellplatz ${space}`, 'Marktplatz', ['Parken'], (at, seed) => ({
          occupied: curve.parked(seed, at),
          temperature: Math.round(curve.outdoorTemperature(at)),
        })),
  ),
  device(
    'terabee-level-monitor-xl',
    'chirpstack',
    'Glascontainer Marktplatz',
    'Wertstoffinsel Marktplatz',
    ['Abfall'],
    (at, seed) => container(at, seed, true),
    60,
  ),
  device(
    'terabee-level-monitor-xl',
    'chirpstack',
    'Papiercontainer Marktplatz',
    'Wertstoffinsel Marktplatz',
    ['Abfall'],
    (at, seed) => container(at, seed, false),
    60,
  ),
  device(
    'milesight-em310-udl',
    'chirpstack',
    'Unterflurcontainer Ringstraße',
    'Ringstraße',
    ['Abfall'],
    (at, seed) => ({
      distance: Math.round(1900 - 1500 * weekly(at, seed)),
      tilted: false,
      battery: 91,
    }),
    60,
  ),
  device(
    'browan-tbsl100',
    'chirpstack',
    'Schallpegel Bahnhofstraße',
    'Bahnhofstraße',
    ['Lärm'],
    (at, seed) => ({
      sound_level: Math.round(46 + 19 * curve.between(at, 5.5, 22) + 5 * curve.drift(seed, at, 600_000)),
      sound_alarm: false,
      internal_temperature: Math.round(curve.outdoorTemperature(at) + 2),
      battery_voltage: 3.6,
    }),
  ),
  ...['Bahnhofstraße', 'Ringstraße'].map((street) =>
    device('netvox-ra0716', 'chirpstack', `Feinstaub ${street}`, street, ['Luft'], (at, seed) => ({
      pm2_5: Math.round(
        9 +
          9 * curve.between(at, 6.5, 10) +
          7 * curve.between(at, 16, 20) +
          5 * curve.drift(seed, at, 10_800_000),
      ),
      temperature: round(curve.outdoorTemperature(at), 2),
      humidity: round(70 + 15 * curve.drift(seed + 2, at, 21_600_000), 2),
      battery_voltage: 3.6,
    })),
  ),
  ...['Mühlbachbrücke', 'Wehr'].map((place) =>
    device('dragino-ldds75', 'chirpstack', `Pegel ${place}`, 'Mühlbach', ['Pegel'], (at, seed) => ({
      distance: Math.round(
        1850 - 260 * (1 + curve.drift(31, at, 2 * 86_400_000)) + 12 * curve.drift(seed, at, 900_000),
      ),
      battery_voltage: 3.28,
    })),
  ),
  ...['Nord', 'Süd', 'Rosengarten'].map((place) =>
    device(
      'dragino-lse01',
      'chirpstack',
      `Bodenfeuchte ${place}`,
      'Stadtpark',
      ['Grünflächen'],
      (at, seed) => ({
        soil_moisture: round(27 + 7 * curve.drift(seed, at, 4 * 86_400_000), 2),
        soil_temperature: round(curve.outdoorTemperature(at - 10_800_000) * 0.6 + 4, 2),
        soil_conductivity: Math.round(240 + 60 * curve.drift(seed + 1, at, 86_400_000)),
        battery_voltage: 3.31,
      }),
      60,
    ),
  ),
  device(
    'decentlab-dl-atm41',
    'chirpstack',
    'Wetterstation Stadtpark',
    'Stadtpark',
    ['Wetter'],
    (at, seed) => {
      const wind = Math.max(
        0.2,
        2.6 + 2.2 * curve.drift(seed, at, 5_400_000) + 0.5 * curve.drift(seed, at, 60_000),
      )
      const wet = curve.drift(seed + 1, at, 10_800_000)
      return {
        temperature: round(curve.outdoorTemperature(at)),
        humidity: round(72 + 18 * curve.drift(seed + 2, at, 21_600_000)),
        pressure: round(1013 + 11 * curve.drift(seed + 3, at, 172_800_000)),
        wind_speed: round(wind, 2),
        wind_gust: round(wind * 1.7, 2),
        wind_direction: Math.round(220 + 60 * curve.drift(seed + 4, at, 21_600_000)),
        rain: wet > 0.55 ? round((wet - 0.5) * 2, 2) : 0,
        solar_radiation: Math.round(620 * curve.daylight(at)),
        battery_voltage: 2.9,
      }
    },
  ),
]

function am107(at: number, seed: number, base: number, people: number, perPerson: number) {
  return {
    ...climate(at, seed, base),
    battery: 96,
    motion_level: Math.round(people * 220),
    illuminance: Math.round(20 + 350 * curve.daylight(at)),
    co2: Math.round(curve.roomCo2(seed, at, people, perPerson)),
    tvoc: Math.round(90 + 160 * people),
    pressure: round(1013 + 9 * curve.drift(3, at, 172_800_000)),
  }
}

function door(at: number, seed: number) {
  const open = curve.chance(seed, Math.floor(at / 120_000)) < 0.25 * curve.presence(seed, at, 7, 18)
  return {
    open,
    temperature: Math.round(curve.outdoorTemperature(at) * 0.4 + 12),
    humidity: 48,
    battery_voltage: 3.4,
    minutes_since_change: Math.round(10 * curve.chance(seed, Math.floor(at / 60_000))),
    open_count: Math.round(curve.meter(seed, at, 4000, 110)) % 0xffffff,
  }
}

function leak(at: number, seed: number) {
  const temperature = Math.round(17 + 2 * curve.drift(seed, at, 21_600_000))
  return {
    water_leak: false,
    temperature,
    humidity: 52,
    internal_temperature: temperature,
    battery_voltage: 3.6,
  }
}

function water(at: number, seed: number, start: number, perDay: number) {
  return { time: new Date(at), volume: round(curve.meter(seed, at, start, perDay / 20), 3) }
}

/** How full something is that is emptied every week, 0 to 1. */
function weekly(at: number, seed: number): number {
  const days = at / 86_400_000 + curve.chance(seed, 1) * 7
  return Math.min(1, ((days % 7) / 7) * 0.95 + 0.02 * curve.drift(seed, at, 3_600_000))
}

/** This glass container was forgotten: it is full and has an open alarm. */
function container(at: number, seed: number, forgotten: boolean) {
  const fill = forgotten ? 0.93 + 0.03 * curve.drift(seed, at, 21_600_000) : weekly(at, seed) * 0.8
  const fill_level = Math.max(0, Math.min(100, Math.round(fill * 100)))
  return { fill_level, distance: Math.round(200 + (100 - fill_level) * 16), battery_voltage: 3.5 }
}
