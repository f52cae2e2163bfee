// Elsys ERS and its relatives: a sequence of values, each a type byte and its data, big-endian, on any port.

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const s24 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8)) >> 8
const u32 = (b, at) => u16(b, at) * 65536 + u16(b, at + 2)
// 63 steps are one g.
const gravity = (byte) => Math.round((((byte << 24) >> 24) / 63) * 1000) / 1000

// Type: length of its data, and the variables (d) that the bytes (b) from a place (at) on mean.
const TYPES = new Map([
  [
    0x01,
    [
      2,
      (d, b, at) => {
        d.temperature = s16(b, at) / 10
      },
    ],
  ],
  [
    0x02,
    [
      1,
      (d, b, at) => {
        d.humidity = b[at]
      },
    ],
  ],
  [
    0x03,
    [
      3,
      (d, b, at) => {
        d.acceleration_x = gravity(b[at])
        d.acceleration_y = gravity(b[at + 1])
        d.acceleration_z = gravity(b[at + 2])
      },
    ],
  ],
  [
    0x04,
    [
      2,
      (d, b, at) => {
        d.illuminance = u16(b, at)
      },
    ],
  ],
  [
    0x05,
    [
      1,
      (d, b, at) => {
        d.motion_count = b[at]
      },
    ],
  ],
  [
    0x06,
    [
      2,
      (d, b, at) => {
        d.co2 = u16(b, at)
      },
    ],
  ],
  [
    0x07,
    [
      2,
      (d, b, at) => {
        d.battery_voltage = u16(b, at) / 1000
      },
    ],
  ],
  [
    0x08,
    [
      2,
      (d, b, at) => {
        d.analog_voltage = u16(b, at) / 1000
      },
    ],
  ],
  [
    0x09,
    [
      6,
      (d, b, at) => {
        d.latitude = s24(b, at) / 10000
        d.longitude = s24(b, at + 3) / 10000
      },
    ],
  ],
  [
    0x0a,
    [
      2,
      (d, b, at) => {
        d.pulse_count_delta = u16(b, at)
      },
    ],
  ],
  [
    0x0b,
    [
      4,
      (d, b, at) => {
        d.pulse_count = u32(b, at)
      },
    ],
  ],
  [
    0x0c,
    [
      2,
      (d, b, at) => {
        d.external_temperature = s16(b, at) / 10
      },
    ],
  ],
  [
    0x0d,
    [
      1,
      (d, b, at) => {
        d.external_input = b[at] !== 0
      },
    ],
  ],
  [
    0x0e,
    [
      2,
      (d, b, at) => {
        d.distance = u16(b, at)
      },
    ],
  ],
  [
    0x0f,
    [
      1,
      (d, b, at) => {
        d.movement_count = b[at]
      },
    ],
  ],
  [
    0x10,
    [
      4,
      (d, b, at) => {
        d.ir_internal_temperature = s16(b, at) / 10
        d.ir_external_temperature = s16(b, at + 2) / 10
      },
    ],
  ],
  [
    0x11,
    [
      1,
      (d, b, at) => {
        // 0 nobody, 1 perhaps (movement only), 2 certain.
        d.occupancy_level = b[at]
        d.occupied = b[at] > 0
      },
    ],
  ],
  [
    0x12,
    [
      1,
      (d, b, at) => {
        d.water_leak_level = b[at]
      },
    ],
  ],
  // A reference temperature and 64 pixels above it, in tenths.
  [
    0x13,
    [
      65,
      (d, b, at) => {
        d.grid_temperature = b.slice(at + 1, at + 65).map((pixel) => (b[at] * 10 + pixel) / 10)
      },
    ],
  ],
  [
    0x14,
    [
      4,
      (d, b, at) => {
        d.pressure = u32(b, at) / 1000
      },
    ],
  ],
  [
    0x15,
    [
      2,
      (d, b, at) => {
        d.sound_peak = b[at]
        d.sound_level = b[at + 1]
      },
    ],
  ],
  [
    0x16,
    [
      2,
      (d, b, at) => {
        d.pulse_count_delta_2 = u16(b, at)
      },
    ],
  ],
  [
    0x17,
    [
      4,
      (d, b, at) => {
        d.pulse_count_2 = u32(b, at)
      },
    ],
  ],
  [
    0x18,
    [
      2,
      (d, b, at) => {
        d.analog_voltage_2 = u16(b, at) / 1000
      },
    ],
  ],
  [
    0x19,
    [
      2,
      (d, b, at) => {
        d.external_temperature_2 = s16(b, at) / 10
      },
    ],
  ],
  [
    0x1a,
    [
      1,
      (d, b, at) => {
        d.external_input_2 = b[at] !== 0
      },
    ],
  ],
  [
    0x1b,
    [
      4,
      (d, b, at) => {
        d.analog_microvolts = u32(b, at) | 0
      },
    ],
  ],
  [
    0x1c,
    [
      2,
      (d, b, at) => {
        d.tvoc = u16(b, at)
      },
    ],
  ],
  // Debug information, of interest to the maker only.
  [0x3d, [4, () => {}]],
])

// The device's settings; they fill the rest of the message.
const SETTINGS = 0x3e

function decodeUplink(input) {
  const bytes = input.bytes
  const data = {}
  const warnings = []
  let at = 0
  while (at < bytes.length && bytes[at] !== SETTINGS) {
    const type = TYPES.get(bytes[at])
    if (type === undefined) {
      warnings.push(`Value of unknown type 0x${bytes[at].toString(16)}, the rest was not read`)
      break
    }
    const [length, read] = type
    if (at + 1 + length > bytes.length) {
      warnings.push('The message ends in the middle of a value')
      break
    }
    read(data, bytes, at + 1)
    at += 1 + length
  }
  if (Object.keys(data).length === 0 && warnings.length > 0) return { errors: warnings }
  return { data, warnings }
}
