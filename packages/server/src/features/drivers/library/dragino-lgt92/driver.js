// Dragino LGT-92: tracker. Port 2, big-endian.
// 0-3, 4-7 position in millionths of a degree | 8-9 alarm, battery | 10 settings | 11-12 roll, 13-14 pitch | 16-17 altitude

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const s32 = (b, at) => (b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 11) return { errors: ['The message is too short'] }
  const data = {
    alarm: (bytes[8] & 0x40) !== 0,
    battery_voltage: (((bytes[8] & 0x3f) << 8) | bytes[9]) / 1000,
  }
  // Both 0: no satellites were found.
  if (s32(bytes, 0) !== 0 || s32(bytes, 4) !== 0) {
    data.latitude = s32(bytes, 0) / 1e6
    data.longitude = s32(bytes, 4) / 1e6
    if (bytes.length >= 18) data.altitude = s16(bytes, 16) / 100
  }
  if (bytes.length >= 15) {
    data.tilt_x = s16(bytes, 11) / 100
    data.tilt_y = s16(bytes, 13) / 100
  }
  return { data }
}
