import { Payload, type Uplink } from './bytes.ts'

export interface W1Values {
  /** The meter's clock, whole seconds. */
  readonly time: Date
  /** Cubic metres. */
  readonly volume: number
  readonly status_code?: number
  /** What each of the last full hours added, in litres, oldest first; at most 15. */
  readonly hourlyLitres?: readonly number[]
}

const HOUR_S = 3600

export function encode(values: W1Values): Uplink {
  const now = Math.floor(values.time.getTime() / 1000)
  const litres = Math.round(values.volume * 1000)
  const payload = new Payload()
    .u32le(now)
    .u8(values.status_code ?? 0)
    .u32le(litres)
  const hourly = values.hourlyLitres?.slice(-15) ?? []
  if (hourly.length === 0) return payload.on(100)
  const lastHour = now - (now % HOUR_S)
  const used = hourly.reduce((sum, each) => sum + each, 0)
  payload.u32le(lastHour - hourly.length * HOUR_S).u32le(litres - used)
  for (const each of hourly) payload.u16le(each)
  return payload.on(100)
}
