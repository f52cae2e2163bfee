// Dragino LDDS04: up to four distances. Port 2, big-endian, millimetres.
// 0-1 battery, bit 15: external pulse | 2-3, 4-5, 6-7, 8-9 distances | 10 kind

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 10) return { errors: ['The message is too short'] }
  return {
    data: {
      battery_voltage: (((bytes[0] & 0x3f) << 8) | bytes[1]) / 1000,
      interrupt: (bytes[0] & 0x80) !== 0,
      distance: u16(bytes, 2),
      distance_2: u16(bytes, 4),
      distance_3: u16(bytes, 6),
      distance_4: u16(bytes, 8),
    },
  }
}
