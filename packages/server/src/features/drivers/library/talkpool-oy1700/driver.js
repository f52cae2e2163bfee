// Talkpool OY1700: fine dust with temperature and humidity. Port 2: two values of 12 bits, then three of 16 bits, big-endian.

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 9) return { errors: ['The message is too short'] }
  const u16 = (at) => (bytes[at] << 8) | bytes[at + 1]
  return {
    data: {
      temperature: (((bytes[0] << 4) | (bytes[2] >> 4)) - 800) / 10,
      humidity: (((bytes[1] << 4) | (bytes[2] & 0x0f)) - 250) / 10,
      pm1: u16(3),
      pm2_5: u16(5),
      pm10: u16(7),
    },
  }
}
