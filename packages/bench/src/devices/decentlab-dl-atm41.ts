import { Payload, type Uplink } from './bytes.ts'

export interface Atm41Values {
  readonly temperature: number
  readonly humidity: number
  readonly pressure: number
  readonly wind_speed: number
  readonly wind_direction: number
  readonly wind_gust: number
  readonly rain: number
  readonly solar_radiation: number
  readonly battery_voltage: number
}

/** Values are shifted by 32768, so that they can be negative. */
const SHIFT = 32_768

export function encode(values: Atm41Values, deviceNumber = 858): Uplink {
  const direction = (values.wind_direction * Math.PI) / 180
  const fields = [
    values.solar_radiation,
    values.rain * 1000,
    0,
    0,
    values.wind_speed * 100,
    values.wind_direction * 10,
    values.wind_gust * 100,
    values.temperature * 10,
    (values.humidity / 100) * saturationPressureKpa(values.temperature) * 100,
    values.pressure * 10,
    values.humidity * 10,
    values.temperature * 10,
    0,
    0,
    0,
    values.wind_speed * Math.cos(direction) * 100,
    values.wind_speed * Math.sin(direction) * 100,
  ]
  const payload = new Payload().u8(2).u16be(deviceNumber).u16be(0b11)
  for (const field of fields) payload.u16be(Math.round(field) + SHIFT)
  return payload.u16be(values.battery_voltage * 1000).on(1)
}

/** Magnus formula over water. */
function saturationPressureKpa(celsius: number): number {
  return 0.6112 * Math.exp((17.62 * celsius) / (243.12 + celsius))
}
