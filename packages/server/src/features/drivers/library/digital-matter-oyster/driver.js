// Digital Matter Oyster and Yabby. Little-endian.
// Port 1: 0-3, 4-7 position in 10^-7 degrees | 8 in a trip, no fix, heading in 64ths of a turn | 9 speed | 10 battery
// Port 4: 0-2, 3-5 position in 256 * 10^-7 degrees | 6 heading in 8ths of a turn, speed in 5 km/h | 7 battery | 8 flags

const s24 = (b, at) => ((b[at] << 8) | (b[at + 1] << 16) | (b[at + 2] << 24)) >> 8
const s32 = (b, at) => b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)

function full(bytes) {
  return {
    latitude: s32(bytes, 0) / 1e7,
    longitude: s32(bytes, 4) / 1e7,
    moving: (bytes[8] & 0x01) !== 0,
    fix_failed: (bytes[8] & 0x02) !== 0,
    heading: (bytes[8] >> 2) * 5.625,
    speed: bytes[9],
    battery_voltage: bytes[10] * 0.025,
  }
}

function short(bytes) {
  const flags = bytes[8] || 0
  return {
    latitude: (s24(bytes, 0) * 256) / 1e7,
    longitude: (s24(bytes, 3) * 256) / 1e7,
    heading: (bytes[6] & 0x07) * 45,
    speed: (bytes[6] >> 3) * 5,
    battery_voltage: bytes[7] * 0.025,
    moving: (flags & 0x01) !== 0,
    fix_failed: (flags & 0x02) !== 0,
    man_down: (flags & 0x04) !== 0,
  }
}

function decodeUplink(input) {
  const bytes = input.bytes
  switch (input.fPort) {
    case 1:
      if (bytes.length < 11) return { errors: ['The message is too short'] }
      return { data: full(bytes) }
    case 4:
      if (bytes.length < 8) return { errors: ['The message is too short'] }
      return { data: short(bytes) }
    case 2:
    case 3:
      return { data: {}, warnings: ['A message about the device, nothing was measured'] }
    default:
      return { errors: [`Port ${input.fPort} is not known`] }
  }
}
