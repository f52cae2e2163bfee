// What Netvox' devices have in common: type, report and battery before the values. A driver says in TYPES what each type reports,
// and in withoutBattery of the function that reads it in which reports values stand where others have the battery.

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
  if (read.withoutBattery?.includes(bytes[2])) return { data: values }
  return {
    data: Object.assign(
      { battery_voltage: (bytes[3] & 0x7f) / 10, battery_low: (bytes[3] & 0x80) !== 0 },
      values,
    ),
  }
}
