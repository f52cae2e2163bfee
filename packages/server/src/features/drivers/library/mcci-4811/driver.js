// MCCI Catena 4811: electricity meter. Port 1, format 0x19, big-endian.
// 0 format | 1 which values follow | battery | starts | energy used and exported in steps of 100 Wh | power

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0

// Values for each flag, lowest first: name, length, how they are read.
const GROUPS = [
  [['battery_voltage', 2, (b, at) => s16(b, at) / 4096]],
  [['boot_count', 1, (b, at) => b[at]]],
  [['meter_error', 1, (b, at) => b[at]]],
  [
    ['energy', 4, (b, at) => u32(b, at) / 10],
    ['energy_exported', 4, (b, at) => u32(b, at) / 10],
  ],
  [['power', 4, float]],
]

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes[0] !== 0x19) return { errors: ['The format of the message is not known'] }
  if (bytes.length < 2) return { errors: ['The message is too short'] }
  const data = {}
  const warnings = []
  let at = 2
  for (let group = 0; group < GROUPS.length; group++) {
    if (!(bytes[1] & (1 << group))) continue
    for (const [name, length, read] of GROUPS[group]) {
      if (at + length > bytes.length) return { errors: ['The message is shorter than it says'] }
      if (name === 'meter_error') warnings.push(`The meter answers with error ${bytes[at]}`)
      else data[name] = read(bytes, at)
      at += length
    }
  }
  return { data, warnings }
}
