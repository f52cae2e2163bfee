// Milesight WT101: radiator thermostat. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const s16 = (b, at) => (u16(b, at) << 16) >> 16

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  871: [2, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  1127: [2, (d, b, at) => (d.set_temperature = s16(b, at) / 10)],
  1426: [1, (d, b, at) => (d.valve_position = b[at])],
  1536: [1, (d, b, at) => (d.install_ok = b[at] === 0)],
  1792: [1, (d, b, at) => (d.window_open = b[at] !== 0)],
  // 1 out of range, 2 not installed. 3, cleared, and 4, switched off, are no errors.
  2277: [1, (d, b, at) => (d.motor_error = b[at] === 1 || b[at] === 2)],
  2448: [2, (d, b, at) => (d.motor_stroke = u16(b, at))],
  2560: [1, (d, b, at) => (d.frost_protection = b[at] !== 0)],
  2960: [2, (d, b, at) => (d.motor_position = u16(b, at))],
  ...aboutDevice(),
}
