// Talkpool OY1200: CO2, temperature and humidity. Port 1, big-endian.
// 0-1 kind | 2-3 CO2 | 4-5 filtered CO2 | 6-7 temperature | 8-9 humidity.

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 10) return { errors: ['The message is too short'] }
  const u16 = (at) => (bytes[at] << 8) | bytes[at + 1]
  return {
    data: {
      co2: u16(2),
      co2_filtered: u16(4),
      temperature: ((u16(6) << 16) >> 16) / 100,
      humidity: u16(8) / 100,
    },
  }
}
