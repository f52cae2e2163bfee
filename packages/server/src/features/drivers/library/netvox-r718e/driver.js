// Netvox R718E: vibration in three directions, and temperature.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

// The upper half of a 32 bit float, low byte first.
function float(b, at) {
  const sign = b[at + 1] & 0x80 ? -1 : 1
  const exponent = ((b[at + 1] & 0x7f) << 1) | (b[at] >> 7)
  const mantissa = b[at] & 0x7f
  if (exponent === 0xff) return null
  return sign * (exponent === 0 ? (mantissa / 128) * 2 ** -126 : (1 + mantissa / 128) * 2 ** (exponent - 127))
}
const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16

function vibration(b, report) {
  if (report === 1) return { vibration_x: float(b, 4), vibration_y: float(b, 6), vibration_z: float(b, 8) }
  if (report === 2)
    return {
      velocity_x: float(b, 3),
      velocity_y: float(b, 5),
      velocity_z: float(b, 7),
      temperature: s16(b, 9) / 10,
    }
  return undefined
}
vibration.withoutBattery = [2]

const TYPES = new Map([[0x1c, vibration]])
