// Talkpool OY1110: temperature and humidity, also several measurements at once. Port 2: one measurement; port 3: a byte, then several, newest first. Two values of 12 bits each.

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2 && input.fPort !== 3) return { errors: [`Port ${input.fPort} is not known`] }
  const at = input.fPort === 3 ? 1 : 0
  if (bytes.length < at + 3) return { errors: ['The message is too short'] }
  return {
    data: {
      temperature: (((bytes[at] << 4) | (bytes[at + 2] >> 4)) - 800) / 10,
      humidity: (((bytes[at + 1] << 4) | (bytes[at + 2] & 0x0f)) - 250) / 10,
    },
  }
}
