// MClimate 16A Switch & Power Meter. What it tells regularly are 12 bytes, big-endian, behind answers to commands if any.
// 0 kind 1 | 1 temperature inside | 2-5 energy, Wh | 6-7 power, W | 8 voltage, V | 9-10 current, mA | 11 switched on

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

function decodeUplink(input) {
  const whole = input.bytes
  const bytes = whole[0] === 1 ? whole : whole.slice(-12)
  if (bytes[0] !== 1) return { data: {}, warnings: ['An answer about settings, nothing was measured'] }
  if (bytes.length < 12) return { errors: ['The message is too short'] }
  return {
    data: {
      internal_temperature: (bytes[1] << 24) >> 24,
      energy: (u16(bytes, 2) * 65536 + u16(bytes, 4)) / 1000,
      power: u16(bytes, 6),
      voltage: bytes[8],
      current: u16(bytes, 9) / 1000,
      switch_on: bytes[11] === 1,
    },
  }
}
