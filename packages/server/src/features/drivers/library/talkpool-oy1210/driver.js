// Talkpool OY1210: CO2, temperature, humidity. Port 2.
// Temperature and humidity are 12 bits each, their low 4 bits share the third byte; then CO2, big-endian

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not used for measurements`] }
  if (bytes.length < 5) return { errors: ['The message is too short'] }
  return {
    data: {
      temperature: (((bytes[0] << 4) | (bytes[2] >> 4)) - 800) / 10,
      humidity: (((bytes[1] << 4) | (bytes[2] & 0x0f)) - 250) / 10,
      co2: (bytes[3] << 8) | bytes[4],
    },
  }
}
