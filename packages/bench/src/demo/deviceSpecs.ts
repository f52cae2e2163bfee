import { type DeviceKey, devices, type Uplink } from '../devices/index.ts'
import { type DeviceSpec, type Network, silentSpace, spaces } from './city.ts'
import { between, chance, drift, hourMs, localOf, minuteMs } from './clock.ts'
import * as curve from './curves.ts'
import * as people from './people.ts'
import * as weather from './weather.ts'

/** The devices of the demo city with what they measure. */

type Values<K extends DeviceKey> = (
  at: number,
  seed: number,
  since: number,
) => Parameters<(typeof devices)[K]>[0]
let seeds = 100

function device<K extends DeviceKey>(
  driver: K,
  network: Network,
  title: string,
  parent: string,
  tags: string[],
  values: Values<K>,
  more: { everyMinutes?: number; silentDays?: number } = {},
): DeviceSpec {
  const seed = seeds++ * 17
  const encode = devices[driver] as (values: Parameters<(typeof devices)[K]>[0]) => Uplink
  const uplink: DeviceSpec['uplink'] = (at, since) => encode(values(at, seed, since))
  return { title, driver, network, parent, tags, everyMinutes: 30, ...more, uplink }
}

const hourly = { everyMinutes: 60 }
/** Lessons and breaks are short. */
const often = { everyMinutes: 15 }
const round = (value: number, digits = 1) => Number(value.toFixed(digits))
const climate = (at: number, seed: number, base: number, share: (at: number) => number) => ({
  temperature: round(curve.roomTemperature(seed, at, base, share)),
  humidity: Math.round(curve.roomHumidity(seed, at, share(at))),
})
const office = (seed: number) => (at: number) => people.inOffice(seed, at)
const school = (seed: number) => (at: number) => people.inClass(seed, localOf(at))
const gym = (at: number) => people.inGym(localOf(at))
const staffRoom = (at: number) => people.inStaffRoom(localOf(at))
const council = (at: number) => people.inCouncil(localOf(at))
const klima = ['Klima']

export const deviceSpecs: DeviceSpec[] = [
  device('elsys-ers', 'tts', 'Klima Foyer', 'Foyer', klima, (at, seed) => ({
    ...climate(at, seed, 20.5, office(seed)),
    illuminance: lux(at, 40, 420, office(seed)(at)),
    motion_count: Math.round(14 * office(seed)(at)),
    battery_voltage: 3.58,
  })),
  device(
    'milesight-am107',
    'tts',
    'Klima Bürgerbüro',
    'Bürgerbüro',
    klima,
    (at, seed) => {
      const share = (time: number) => people.inCitizensOffice(seed, time)
      return am107(at, seed, 21.6, share, curve.officeCo2(seed, at, 950, share))
    },
    often,
  ),
  device(
    'dragino-lht65',
    'tts',
    'Klima Serverraum',
    'Serverraum',
    klima,
    (at, seed) => ({
      temperature: round(curve.serverRoom(seed, at), 2),
      humidity: 35,
      battery_voltage: 3.02,
    }),
    often,
  ),
  device('milesight-am107', 'tts', 'Klima Ratssaal', 'Ratssaal', klima, (at, seed) =>
    am107(at, seed, 20.9, council, curve.officeCo2(seed, at, 1500, council)),
  ),
  ...['1.01', '1.02'].map((number) =>
    device('dragino-lht65', 'tts', `Klima Büro ${number}`, `Büro ${number}`, klima, (at, seed) => ({
      ...climate(at, seed, 21.6, office(seed)),
      battery_voltage: 3.05,
    })),
  ),
  device('elsys-ers', 'tts', 'Klima Büro 1.03', 'Büro 1.03', klima, (at, seed) => ({
    ...climate(at, seed, 21.2, office(seed)),
    illuminance: lux(at, 30, 380, office(seed)(at)),
    motion_count: Math.round(6 * office(seed)(at)),
    battery_voltage: 3.61,
  })),
  device('browan-merryiot-dw10', 'tts', 'Tür Haupteingang', 'Haupteingang Rathaus', ['Türen'], door),
  device('browan-tbwl100', 'tts', 'Leckage Technikraum', 'Rathaus Erdgeschoss', ['Leckage'], leak, hourly),
  device(
    'axioma-qalcosonic-w1',
    'tts',
    'Wasserzähler Rathaus',
    'Rathaus',
    ['Zähler'],
    (at, seed) => ({
      time: new Date(at),
      volume: round(curve.meter(seed, at, { start: 1240, perDay: 1.9, habit: curve.habits.office }), 3),
    }),
    hourly,
  ),
  device(
    'adeunis-pulse',
    'tts',
    'Stromzähler Rathaus',
    'Rathaus',
    ['Zähler'],
    (at, seed) => ({
      pulse_count: Math.round(
        curve.meter(seed, at, {
          start: 4_200_000,
          perDay: 14_000,
          habit: curve.habits.office,
          constant: 270,
        }),
      ),
      pulse_count_2: 0,
    }),
    hourly,
  ),
  ...['Klasse 1a', 'Klasse 1b'].map((name, index) =>
    device(
      'browan-merryiot-cd10',
      'tts',
      `CO₂ ${name}`,
      name,
      klima,
      (at, seed) => ({
        co2: Math.round(curve.classCo2(seed, at, [0.9, 2.1][index] as number)),
        temperature: Math.round(curve.roomTemperature(seed, at, 21.2, school(seed))),
        humidity: Math.round(curve.roomHumidity(seed, at, school(seed)(at))),
        battery_voltage: 3.5,
      }),
      often,
    ),
  ),
  ...['Klasse 2a', 'Klasse 2b'].map((name, index) =>
    device(
      'milesight-am107',
      'tts',
      `CO₂ ${name}`,
      name,
      klima,
      (at, seed) =>
        am107(at, seed, 21.1, school(seed), curve.classCo2(seed, at, [1.1, 1.7][index] as number)),
      often,
    ),
  ),
  device('elsys-ers', 'tts', 'Klima Lehrerzimmer', 'Lehrerzimmer', klima, (at, seed) => ({
    ...climate(at, seed, 21.9, staffRoom),
    illuminance: lux(at, 60, 300, staffRoom(at)),
    motion_count: Math.round(9 * staffRoom(at)),
    battery_voltage: 3.55,
  })),
  device('dragino-lht65', 'tts', 'Klima Turnhalle', 'Turnhalle', klima, (at, seed) => ({
    ...climate(at, seed, 18.2, gym),
    battery_voltage: 2.98,
  })),
  device('browan-merryiot-dw10', 'tts', 'Tür Schuleingang', 'Schule Erdgeschoss', ['Türen'], door),
  device('browan-tbwl100', 'tts', 'Leckage Heizungskeller', 'Grundschule am Park', ['Leckage'], leak, hourly),
  device(
    'axioma-qalcosonic-w1',
    'tts',
    'Wasserzähler Schule',
    'Grundschule am Park',
    ['Zähler'],
    leakingMeter,
    hourly,
  ),

  ...spaces.map((space) =>
    space <= 3
      ? device('nwave-nps310', 'chirpstack', `Stellplatz ${space}`, 'Marktplatz', ['Parken'], (at, seed) => ({
          occupied: curve.parked(seed, at),
        }))
      : device(
          'bosch-tpl110',
          'chirpstack',
          `Stellplatz ${space}`,
          'Marktplatz',
          ['Parken'],
          (at, seed) => ({
            occupied: curve.parked(seed, at),
            temperature: Math.round(weather.outdoorTemperature(at)),
          }),
          space === silentSpace ? { silentDays: 4 } : {},
        ),
  ),
  device(
    'terabee-level-monitor-xl',
    'chirpstack',
    'Glascontainer Marktplatz',
    'Wertstoffinsel Marktplatz',
    ['Abfall'],
    // Somebody forgot to empty it: it has an open alarm.
    (at, seed, since) => container(curve.filled(seed, at, { since, days: 28, agoDays: 19, until: 1.35 })),
    hourly,
  ),
  device(
    'terabee-level-monitor-xl',
    'chirpstack',
    'Papiercontainer Marktplatz',
    'Wertstoffinsel Marktplatz',
    ['Abfall'],
    // Its alarm ended when it was emptied the day before.
    (at, seed, since) => container(curve.filled(seed, at, { since, days: 7, agoDays: 1, until: 0.9 })),
    hourly,
  ),
  device(
    'milesight-em310-udl',
    'chirpstack',
    'Unterflurcontainer Ringstraße',
    'Ringstraße',
    ['Abfall'],
    (at, seed, since) => ({
      distance: Math.round(
        1900 - 1500 * curve.filled(seed, at, { since, days: 14, agoDays: 6, until: 0.85 }),
      ),
      tilted: false,
      battery: 91,
    }),
    hourly,
  ),
  device(
    'browan-tbsl100',
    'chirpstack',
    'Schallpegel Bahnhofstraße',
    'Bahnhofstraße',
    ['Lärm'],
    (at, seed) => ({
      sound_level: Math.round(curve.streetNoise(seed, at)),
      sound_alarm: false,
      internal_temperature: Math.round(weather.outdoorTemperature(at) + 2),
      battery_voltage: 3.6,
    }),
  ),
  ...['Bahnhofstraße', 'Ringstraße'].map((street, index) =>
    device('netvox-ra0716', 'chirpstack', `Feinstaub ${street}`, street, ['Luft'], (at, seed) => ({
      pm2_5: Math.round(curve.fineDust(seed, at, [1, 0.6][index] as number)),
      temperature: round(weather.outdoorTemperature(at), 2),
      humidity: round(weather.outdoorHumidity(at), 2),
      battery_voltage: 3.6,
    })),
  ),
  ...['Mühlbachbrücke', 'Wehr'].map((place) =>
    device('dragino-ldds75', 'chirpstack', `Pegel ${place}`, 'Mühlbach', ['Pegel'], (at, seed) => ({
      distance: Math.round(Math.max(300, 1950 - curve.streamLevel(seed, at))),
      battery_voltage: 3.28,
    })),
  ),
  ...['Nord', 'Süd', 'Rosengarten'].map((place, index) =>
    device(
      'dragino-lse01',
      'chirpstack',
      `Bodenfeuchte ${place}`,
      'Stadtpark',
      ['Grünflächen'],
      (at, seed, since) => ({
        soil_moisture: round(curve.soilMoisture(seed, at, [0.1, 0.4, 0.9][index] as number), 2),
        soil_temperature: round(weather.outdoorTemperature(at - 3 * hourMs) * 0.6 + 4, 2),
        soil_conductivity: Math.round(190 + 4 * curve.soilMoisture(seed, at, 0.4)),
        battery_voltage:
          place === 'Süd'
            ? curve.fallingBattery(at, { since, days: 60, leftDays: 8, full: 3.6, empty: 2.6 })
            : 3.31,
      }),
      hourly,
    ),
  ),
  device(
    'decentlab-dl-atm41',
    'chirpstack',
    'Wetterstation Stadtpark',
    'Stadtpark',
    ['Wetter'],
    (at, seed) => {
      const wind = weather.wind(at)
      return {
        temperature: round(weather.outdoorTemperature(at)),
        humidity: round(weather.outdoorHumidity(at)),
        pressure: round(weather.pressure(at)),
        wind_speed: round(wind, 2),
        wind_gust: round(wind * (1.5 + 0.2 * drift(seed, at, 7 * minuteMs)), 2),
        wind_direction: Math.round(235 + 55 * drift(seed + 4, at, 6 * hourMs)),
        // of the ten minutes before
        rain: round(weather.rain(at) / 6, 2),
        solar_radiation: Math.round(880 * weather.daylight(at)),
        battery_voltage: 2.9,
      }
    },
  ),
]

/** Daylight through the windows, and lamps while somebody is there. */
function lux(at: number, lamps: number, sun: number, share: number): number {
  return Math.round(4 + sun * weather.daylight(at) + lamps * 6 * between(share, 0, 2, 0.2))
}

function am107(at: number, seed: number, base: number, share: (at: number) => number, co2: number) {
  return {
    ...climate(at, seed, base, share),
    battery: 96,
    motion_level: Math.round(share(at) * 220),
    illuminance: lux(at, 40, 350, share(at)),
    co2: Math.round(co2),
    // Breath and cleaning agents come and go with the CO₂.
    tvoc: Math.round(70 + (co2 - 425) * 0.22 + 8 * drift(seed + 5, at, hourMs)),
    pressure: round(weather.pressure(at)),
  }
}

function door(at: number, seed: number) {
  const share = people.inOffice(seed, at)
  const open = chance(seed, Math.floor(at / (2 * minuteMs))) < 0.2 * share
  return {
    open,
    temperature: Math.round(weather.outdoorTemperature(at) * 0.4 + 12),
    humidity: 48,
    battery_voltage: 3.4,
    minutes_since_change: Math.round(3 + 40 * (1 - share) * (0.5 + 0.5 * drift(seed, at, hourMs))),
    open_count:
      Math.round(curve.meter(seed, at, { start: 4000, perDay: 140, habit: curve.habits.office })) % 0xffffff,
  }
}

function leak(at: number, seed: number) {
  const temperature = Math.round(17 + 2 * drift(seed, at, 21_600_000))
  return {
    water_leak: false,
    temperature,
    humidity: 52,
    internal_temperature: temperature,
    battery_voltage: 3.6,
  }
}

const leakDays = 5
const leakLitresPerHour = 85
/** what the meter calls a leakage: water has flowed for a day without a pause */
const leakageStatus = 0x30

/** The school's meter: a cistern has been running since five days before the city was built, at night, too. */
function leakingMeter(at: number, seed: number, since: number) {
  const hours = Math.max(0, at - (since - leakDays * 24 * hourMs)) / hourMs
  const used = curve.meter(seed, at, { start: 860, perDay: 3.4, habit: curve.habits.school })
  return {
    time: new Date(at),
    volume: round(used + (hours * leakLitresPerHour) / 1000, 3),
    status_code: hours > 24 ? leakageStatus : 0,
  }
}

function container(fill: number) {
  const fill_level = Math.round(fill * 100)
  return { fill_level, distance: Math.round(200 + (100 - fill_level) * 16), battery_voltage: 3.5 }
}
