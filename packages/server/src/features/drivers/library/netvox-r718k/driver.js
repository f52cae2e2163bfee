// Netvox R718KA: current loop 4–20 mA with one or two inputs.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const one = (b) => ({ loop_current: b[4] + b[5] / 10 })
// Both whole numbers stand before both tenths.
const two = (b) => ({ loop_current: b[4] + b[6] / 10, loop_current_2: b[5] + b[7] / 10 })

const TYPES = new Map([
  [0x22, one], // R718KA
  [0x44, two], // R718KA2
])

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
  return {
    data: Object.assign(
      { battery_voltage: (bytes[3] & 0x7f) / 10, battery_low: (bytes[3] & 0x80) !== 0 },
      values,
    ),
  }
}
