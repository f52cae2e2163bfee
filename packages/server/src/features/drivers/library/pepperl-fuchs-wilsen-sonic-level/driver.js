// Pepperl+Fuchs WILSEN.sonic.level: fill level by ultrasound.
// A sequence of values: length of what follows, 2 bytes what it is, the value, big-endian

const u32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0

// What it is: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  // Centimetres.
  2817: [2, (d, b, at) => (d.distance = ((b[at] << 8) | b[at + 1]) * 10)],
  2822: [1, (d, b, at) => (d.fill_level = b[at])],
  513: [4, (d, b, at) => (d.temperature = float(b, at))],
  20737: [1, (d, b, at) => (d.battery_voltage = b[at] / 10)],
  20481: [4, (d, b, at) => (d.latitude = (u32(b, at) | 0) / 1e6)],
  20482: [4, (d, b, at) => (d.longitude = (u32(b, at) | 0) / 1e6)],
  10789: [14, (d, b, at) => (d.serial_number = String.fromCharCode(...b.slice(at, at + 14)))],
  12545: [2, (d, b, at) => (d.message_count = (b[at] << 8) | b[at + 1])],
  12546: [2, (d, b, at) => (d.position_count = (b[at] << 8) | b[at + 1])],
  12547: [4, (d, b, at) => (d.measurement_count = u32(b, at))],
}

function decodeUplink(input) {
  const bytes = input.bytes
  const data = {}
  let at = 0
  while (at < bytes.length) {
    const length = bytes[at]
    if (length < 2 || at + 1 + length > bytes.length)
      return { errors: ['The message is shorter than it says'] }
    const value = VALUES[(bytes[at + 1] << 8) | bytes[at + 2]]
    if (value !== undefined && value[0] === length - 2) value[1](data, bytes, at + 3)
    at += 1 + length
  }
  return { data }
}
