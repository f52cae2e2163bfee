import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type DeviceKey, devices, type Uplink } from './index.ts'

const LIBRARY = new URL('../../../server/src/features/drivers/library/', import.meta.url)

/** Decodes with the bundled driver's files. */
function decode(key: DeviceKey, { fPort, bytes }: Uplink): unknown {
  const read = (file: string) => readFileSync(new URL(file, LIBRARY), 'utf8')
  const { families = [] } = JSON.parse(read(`${key}/meta.json`)) as { families?: string[] }
  const files = [`${key}/driver.js`, ...families.map((family) => `families/${family}.js`)]
  const source = files.map(read).join('\n')
  const input = JSON.stringify({ fPort, bytes: [...bytes] })
  return JSON.parse(runInNewContext(`${source}; JSON.stringify(decodeUplink(${input}).data)`) as string)
}

/** What goes in comes out; values are such that the device can express them exactly. */
const EXAMPLES: readonly (readonly [DeviceKey, Uplink, object])[] = (() => {
  const example = <K extends DeviceKey>(
    key: K,
    values: Parameters<(typeof devices)[K]>[0],
    more: object = {},
  ) => {
    const encode: (values: never) => Uplink = devices[key]
    const {
      time: _time,
      hourlyLitres: _hourly,
      heartbeat: _heartbeat,
      ...plain
    } = values as Record<string, unknown>
    return [key, encode(values as never), { ...plain, ...more }] as const
  }
  return [
    example('adeunis-pulse', { pulse_count: 4_000_000_000, pulse_count_2: 7, battery_low: true }),
    example('axioma-qalcosonic-w1', {
      time: new Date('2026-11-20T12:34:56Z'),
      volume: 123.456,
      status_code: 48,
      hourlyLitres: [10, 0, 25],
    }),
    example('bosch-tpl110', { occupied: true }),
    example('bosch-tpl110', { occupied: false, temperature: -12 }),
    example('browan-merryiot-cd10', {
      co2: 1500,
      temperature: -5,
      humidity: 40,
      battery_voltage: 3.3,
      co2_alarm: true,
    }),
    example('browan-merryiot-dw10', {
      open: true,
      temperature: 21,
      humidity: 28,
      battery_voltage: 3.6,
      minutes_since_change: 300,
      open_count: 70_000,
      tamper: true,
    }),
    example('browan-tbsl100', {
      sound_level: 62,
      sound_alarm: true,
      internal_temperature: -3,
      battery_voltage: 3.5,
    }),
    example('browan-tbwl100', {
      water_leak: true,
      temperature: 8,
      humidity: 90,
      internal_temperature: 9,
      battery_voltage: 3.6,
    }),
    example('decentlab-dl-atm41', {
      temperature: -4.5,
      humidity: 81.2,
      pressure: 1003.4,
      wind_speed: 3.21,
      wind_direction: 270,
      wind_gust: 7.5,
      rain: 0.4,
      solar_radiation: 250,
      battery_voltage: 3.05,
    }),
    example('dragino-ldds75', { distance: 2799, battery_voltage: 3.387, external_temperature: -1.5 }),
    example('dragino-lht65', {
      temperature: -11.25,
      humidity: 88.6,
      battery_voltage: 3.062,
      external_temperature: 27.81,
    }),
    example('dragino-lse01', {
      soil_moisture: 19.57,
      soil_temperature: 24.59,
      soil_conductivity: 282,
      battery_voltage: 3.625,
    }),
    example('elsys-ers', {
      temperature: -4,
      humidity: 41,
      illuminance: 39,
      motion_count: 6,
      co2: 776,
      battery_voltage: 3.426,
      sound_peak: 60,
      sound_level: 42,
    }),
    example('milesight-am107', {
      battery: 92,
      temperature: -3.5,
      humidity: 50.5,
      motion_level: 73,
      illuminance: 28,
      co2: 1255,
      tvoc: 7,
      pressure: 1004.7,
    }),
    example('milesight-em310-udl', { distance: 1320, tilted: true, battery: 88 }),
    example('netvox-ra0716', {
      pm2_5: 300,
      temperature: -2.38,
      humidity: 68,
      battery_voltage: 3.6,
      battery_low: true,
    }),
    example('nwave-nps310', { occupied: true }),
    example('nwave-nps310', { occupied: false, heartbeat: true }),
    example('terabee-level-monitor-xl', { distance: 1500, fill_level: 50, battery_voltage: 3.6 }),
  ]
})()

describe('simulated devices send what the delivered drivers read', () => {
  it.each(EXAMPLES)('%s', (key, uplink, values) => {
    expect(decode(key, uplink)).toMatchObject(values)
  })

  it('covers every device', () => {
    expect(new Set(EXAMPLES.map(([key]) => key))).toEqual(new Set(Object.keys(devices)))
  })

  it('the water meter tells the hours before, ending at the last full one', () => {
    const time = new Date('2026-11-20T12:34:56Z')
    const uplink = devices['axioma-qalcosonic-w1']({ time, volume: 1, hourlyLitres: [10, 0, 25] })
    expect(decode('axioma-qalcosonic-w1', uplink)).toMatchObject({
      time: '2026-11-20T12:34:56.000Z',
      history: [
        { time: '2026-11-20T09:00:00.000Z', volume: 0.965 },
        { time: '2026-11-20T10:00:00.000Z', volume: 0.975 },
        { time: '2026-11-20T11:00:00.000Z', volume: 0.975 },
        { time: '2026-11-20T12:00:00.000Z', volume: 1 },
      ],
    })
  })

  it('values that a device cannot express become the nearest ones', () => {
    const values = { co2: 1e6, temperature: -400, humidity: 400, battery_voltage: 99 }
    expect(decode('browan-merryiot-cd10', devices['browan-merryiot-cd10'](values))).toMatchObject({
      co2: 65_535,
      temperature: -128,
      humidity: 127,
      battery_voltage: 3.6,
    })
  })
})
