// Vutility HotDrop: current transformer. Port 3, big-endian.
// 0 kind 50 | 1-4 charge, 0.1 Ah | 5-6 mean current, 0.1 A | 7 largest and 8 smallest current, how far off the mean in %
// 9 capacitor | 10 temperature

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const u32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 3) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes[0] !== 50) return { data: {}, warnings: ['A message of another kind, nothing was measured'] }
  if (bytes.length !== 11) return { errors: ['The message has to be 11 bytes long'] }
  const current = u16(bytes, 5) / 10
  return {
    data: {
      charge: u32(bytes, 1) / 10,
      current,
      current_max: (current * (100 + bytes[7])) / 100,
      current_min: (current * (100 - bytes[8])) / 100,
      // The whole range of the byte is 5 V, and 120 °C from −40 °C on.
      capacitor_voltage: (bytes[9] / 255) * 5,
      internal_temperature: (bytes[10] / 255) * 120 - 40,
    },
  }
}
