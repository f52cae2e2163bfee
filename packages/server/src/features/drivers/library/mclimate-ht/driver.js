// MClimate HT sensor: regular message 0x01, big-endian.
// 0 kind | 1-2 temperature | 3 humidity | 4 battery | 5-6 probe, if there is one

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

function decodeUplink(input) {
  // Replies to commands stand before the regular message.
  const whole = input.bytes
  const bytes = [whole, whole.slice(-7), whole.slice(-5)].find((part) => part[0] === 0x01) || whole
  if (bytes[0] !== 0x01) return { data: {}, warnings: ['A reply to a command, nothing was measured'] }
  if (bytes.length < 5) return { errors: ['The message is too short'] }
  const data = {
    temperature: (u16(bytes, 1) - 400) / 10,
    humidity: (bytes[3] * 100) / 256,
    // Steps of 8 mV above 1.6 V.
    battery_voltage: (bytes[4] * 8 + 1600) / 1000,
  }
  // Bit 2: no probe is connected.
  if (bytes.length > 6 && (bytes[5] & 0x04) === 0) data.external_temperature = (u16(bytes, 5) & 0x03ff) / 10
  return { data }
}
