// Vutility PulseDrop: pulse counter. Port 3, big-endian.
// 0 kind | 1 capacitor | 2 temperature | 3-6 pulses

const u32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 3) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes[0] !== 0x1c) return { data: {}, warnings: ['A message of another kind, nothing was measured'] }
  if (bytes.length < 7) return { errors: ['The message is too short'] }
  return {
    data: {
      // The whole range of the byte is 5 V, and 120 °C from −40 °C on.
      capacitor_voltage: (bytes[1] / 255) * 5,
      internal_temperature: (bytes[2] / 255) * 120 - 40,
      pulse_count: u32(bytes, 3),
    },
  }
}
