// Vega LM-1: tracker. Port 2, little-endian.
// 0 kind 1 | 1 battery | 2-5 time | 6 temperature | 7 moving | 8-9 tilt | 10 position valid | 11-14, 15-18 position
// 19-20 heading | 21-22 speed | 23-24 altitude | 25 satellites seen | 26 used | 27 alarm

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const u32 = (b, at) => (b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)) >>> 0

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes[0] !== 1) return { data: {}, warnings: ['A message about the device, nothing was measured'] }
  if (bytes.length < 28) return { errors: ['The message is too short'] }
  const data = {
    time: new Date(u32(bytes, 2) * 1000).toISOString(),
    battery: bytes[1],
    temperature: (bytes[6] << 24) >> 24,
    moving: bytes[7] !== 0,
    tilt_angle: u16(bytes, 8),
    position_valid: bytes[10] !== 0,
    alarm: bytes[27] !== 0,
  }
  if (data.position_valid) {
    data.latitude = (u32(bytes, 11) | 0) / 1e6
    data.longitude = (u32(bytes, 15) | 0) / 1e6
    data.heading = u16(bytes, 19)
    data.speed = u16(bytes, 21)
    data.altitude = (u16(bytes, 23) << 16) >> 16
    data.satellites = bytes[26]
  }
  return { data }
}
