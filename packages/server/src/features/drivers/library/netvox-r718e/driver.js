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

const TYPES = new Map([[0x1c, vibration]])

function decodeUplink(input) {
  const bytes = input.bytes
  // Ports above 6 carry replies to settings.
  if (input.fPort === 7 || input.fPort === 13)
    return { data: {}, warnings: ['A reply to a setting, nothing was measured'] }
  if (input.fPort !== 6) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 11) return { errors: ['The message is too short'] }
  const read = TYPES.get(bytes[1])
  if (read === undefined) return { errors: [`This is another device, type 0x${bytes[1].toString(16)}`] }
  if (bytes[2] === 0) return { data: { firmware_version: bytes[3] / 10, hardware_version: bytes[4] } }
  const values = read(bytes, bytes[2])
  if (values === undefined) return { errors: [`Report ${bytes[2]} is not known`] }
  // The second report has no room for the battery.
  if (bytes[2] === 2) return { data: values }
  return {
    data: Object.assign(
      { battery_voltage: (bytes[3] & 0x7f) / 10, battery_low: (bytes[3] & 0x80) !== 0 },
      values,
    ),
  }
}
