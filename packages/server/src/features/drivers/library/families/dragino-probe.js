// What Dragino's sensors for soil and leaves have in common: port 2, big-endian; 0-1 battery | 2-3 temperature of a probe |
// 4- values. A driver says in LENGTH how many bytes a message has at least, and in valuesOf what its values mean.

function u16(b, at) {
  return (b[at] << 8) | b[at + 1]
}

function s16(b, at) {
  return (u16(b, at) << 16) >> 16
}

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < LENGTH) return { errors: ['The message is too short'] }
  const data = Object.assign({ battery_voltage: (u16(bytes, 0) & 0x3fff) / 1000 }, valuesOf(bytes))
  // Without a probe the device sends 0, so exactly 0.0 °C cannot be told from that.
  if (s16(bytes, 2) !== 0) data.external_temperature = s16(bytes, 2) / 10
  return { data }
}
