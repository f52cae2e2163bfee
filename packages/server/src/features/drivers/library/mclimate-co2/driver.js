// MClimate CO2 sensor: regular message 0x01, big-endian.
// 0 kind | 1-2 CO2 | 3-4 temperature | 5 humidity | 6 battery

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

function decodeUplink(input) {
  // Replies to commands stand before the regular message.
  const whole = input.bytes
  const bytes = whole[0] === 0x01 ? whole : whole.slice(-7)
  if (bytes[0] !== 0x01) return { data: {}, warnings: ['A reply to a command, nothing was measured'] }
  if (bytes.length < 7) return { errors: ['The message is too short'] }
  return {
    data: {
      co2: u16(bytes, 1),
      temperature: (u16(bytes, 3) - 400) / 10,
      humidity: (bytes[5] * 100) / 256,
      // Steps of 8 mV above 1.6 V.
      battery_voltage: (bytes[6] * 8 + 1600) / 1000,
    },
  }
}
