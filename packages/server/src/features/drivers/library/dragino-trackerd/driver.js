// Dragino TrackerD. Port 2 and, without climate, port 3; big-endian.
// 0-3, 4-7 position in millionths of a degree | 8-9 alarm, battery | 10 settings, moving | 11-12 humidity | 13-14 temperature

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const s32 = (b, at) => (b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort === 4 || input.fPort === 5)
    return { data: {}, warnings: ['A message about the device, nothing was measured'] }
  if (input.fPort !== 2 && input.fPort !== 3) return { errors: [`Port ${input.fPort} is not read`] }
  if (bytes.length < 11) return { errors: ['The message is too short'] }
  const data = {
    alarm: (bytes[8] & 0x40) !== 0,
    battery_voltage: (((bytes[8] & 0x3f) << 8) | bytes[9]) / 1000,
    moving: (bytes[10] & 0x10) !== 0,
  }
  // Both 0 or all bits set: no satellites were found.
  const found = [0, -1].every((none) => s32(bytes, 0) !== none || s32(bytes, 4) !== none)
  if (found) {
    data.latitude = s32(bytes, 0) / 1e6
    data.longitude = s32(bytes, 4) / 1e6
  }
  if (input.fPort === 2 && bytes.length >= 15) {
    data.humidity = u16(bytes, 11) / 10
    data.temperature = s16(bytes, 13) / 10
  }
  return { data }
}
