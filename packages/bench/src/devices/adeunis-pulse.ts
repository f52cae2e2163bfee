import { bits, Payload, type Uplink } from './bytes.ts'

export interface PulseValues {
  readonly pulse_count: number
  readonly pulse_count_2: number
  readonly battery_low?: boolean
}

export function encode(values: PulseValues): Uplink {
  return new Payload()
    .raw(0x46, bits(false, values.battery_low))
    .u32be(values.pulse_count)
    .u32be(values.pulse_count_2)
    .on(1)
}
