// TEKTELIC Smart Room and Tundra: a sequence of channel, type and value, big-endian, on port 10.

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u16 = (b, at) => (b[at] << 8) | b[at + 1]

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  255: [2, (d, b, at) => (d.battery_voltage = s16(b, at) / 100)],
  // 0x00: the magnet is near.
  256: [1, (d, b, at) => (d.open = b[at] !== 0)],
  512: [1, (d, b, at) => (d.light_detected = b[at] !== 0)],
  871: [2, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  1128: [1, (d, b, at) => (d.humidity = b[at] / 2)],
  1282: [2, (d, b, at) => (d.impact = u16(b, at) / 1000)],
  1905: [
    6,
    (d, b, at) => {
      d.acceleration_x = s16(b, at) / 1000
      d.acceleration_y = s16(b, at + 2) / 1000
      d.acceleration_z = s16(b, at + 4) / 1000
    },
  ],
  2052: [2, (d, b, at) => (d.open_count = u16(b, at))],
  2304: [1, (d, b, at) => (d.moisture_detected = b[at] !== 0)],
  2560: [1, (d, b, at) => (d.occupied = b[at] !== 0)],
  2919: [2, (d, b, at) => (d.internal_temperature = s16(b, at) / 10)],
  3072: [1, (d, b, at) => (d.impact_alarm = b[at] !== 0)],
  3332: [2, (d, b, at) => (d.motion_count = u16(b, at))],
  3584: [1, (d, b, at) => (d.external_input = b[at] !== 0)],
  3844: [2, (d, b, at) => (d.external_count = u16(b, at))],
}
