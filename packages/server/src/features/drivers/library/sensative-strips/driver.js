// Sensative Strips. Port 1, big-endian: 0-1 place in the log | then a sequence of type and value

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (u16(b, at) << 16) >> 16

// Type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const TYPES = {
  1: [1, (d, b, at) => (d.battery = b[at])],
  2: [2, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  3: [
    1,
    (d, b, at) => {
      d.heat_alarm = (b[at] & 0x01) !== 0
      d.heat_alarm_low = (b[at] & 0x02) !== 0
    },
  ],
  // Means of the temperature, and an alarm of them.
  4: [2],
  5: [1],
  6: [1, (d, b, at) => (d.humidity = b[at] / 2)],
  7: [2, (d, b, at) => (d.illuminance = u16(b, at))],
  8: [2, (d, b, at) => (d.illuminance = u16(b, at))],
  9: [1, (d, b, at) => (d.open = b[at] !== 0)],
  10: [1],
  11: [1, (d, b, at) => (d.tamper = b[at] !== 0)],
  12: [1],
  13: [1, (d, b, at) => (d.moisture = b[at])],
  14: [1, (d, b, at) => (d.water_leak = b[at] !== 0)],
  15: [1],
  16: [1],
  17: [2, (d, b, at) => (d.open_count = u16(b, at))],
  18: [1, (d, b, at) => (d.occupied = b[at] !== 0)],
  // Distances by infrared, as they come.
  19: [2],
  20: [2],
  21: [1],
}

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not read`] }
  if (bytes.length < 3) return { errors: ['The message is too short'] }
  const data = {}
  let at = 2
  while (at < bytes.length) {
    const type = TYPES[bytes[at]]
    if (type === undefined || at + 1 + type[0] > bytes.length) {
      return { data, warnings: ['A value of this message cannot be read, nor what follows it'] }
    }
    if (type[1] !== undefined) type[1](data, bytes, at + 1)
    at += 1 + type[0]
  }
  return { data }
}
