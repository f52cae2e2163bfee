// AQUASCOPE WWD: water leak detector. Port 10.
// 0 water | 1 battery in percent | 2 remote probe | 3 temperature

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 10) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 4) return { errors: ['The message is too short'] }
  return {
    data: {
      water_leak: bytes[0] !== 0,
      battery: bytes[1],
      remote_input: bytes[2] !== 0,
      temperature: (bytes[3] << 24) >> 24,
    },
  }
}
