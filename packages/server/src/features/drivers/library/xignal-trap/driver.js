// Xignal traps. Port 1, big-endian.
// 0 kind | 1 battery in tenths of a volt | 2-3 temperature | 4- number | 10 state of the trap

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 11) return { errors: ['The message is too short'] }
  return {
    data: { trapped: bytes[10] === 1, battery_voltage: bytes[1] / 10, temperature: s16(bytes, 2) / 100 },
  }
}
