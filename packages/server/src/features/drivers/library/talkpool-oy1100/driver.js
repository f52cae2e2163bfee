// Talkpool OY1100: temperature and humidity. Port 1, two values of 12 bits.

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 3) return { errors: ['The message is too short'] }
  return {
    data: {
      temperature: ((bytes[0] << 4) | (bytes[2] >> 4)) / 10,
      humidity: ((bytes[1] << 4) | (bytes[2] & 0x0f)) / 10,
    },
  }
}
