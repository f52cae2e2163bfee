// Netvox R718H, R718H2: pulse counter with one or two inputs.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

const one = (b) => ({ pulse_count: u16(b, 4) })
const two = (b) => ({ pulse_count: u16(b, 4), pulse_count_2: u16(b, 6) })

const TYPES = new Map([
  [0x1f, one], // R718H
  [0x3f, two], // R718H2
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
