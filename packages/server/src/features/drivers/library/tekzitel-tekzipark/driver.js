// Tekzitel Tekzipark: parking space. Port 1.
// 0 states | 1 temperature | 2 number of the space | 3- beacons

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 3) return { errors: ['The message is too short'] }
  return {
    data: {
      occupied: (bytes[0] & 0x80) !== 0,
      battery_low: (bytes[0] & 0x08) === 0,
      temperature: (bytes[1] << 24) >> 24,
      parking_id: bytes[2],
    },
  }
}
