// Ellenex PLS2-L: level with a submersible probe. Port 15, big-endian.
// 0-2 kind | 3-4 value | 5-6 | 7 battery in tenths of a volt

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 15) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length !== 8) return { errors: ['The message does not have eight bytes'] }
  return { data: { level_raw: s16(bytes, 3), battery_voltage: bytes[7] / 10 } }
}
