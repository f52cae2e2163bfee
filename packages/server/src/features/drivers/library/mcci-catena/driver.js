// MCCI Catena: climate, light and pulses of an energy meter. Port 1, format 0x14, big-endian.
// 0 format | 1 which values follow | values in the order of the flags

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
// 4 bits exponent, 12 bits fraction, in quarters of a pulse a second.
const rate = (b, at) => ((((b[at] & 0x0f) << 8) | b[at + 1]) / 4096) * 2 ** ((b[at] >> 4) - 15) * 4 * 3600

// Values for each flag, lowest first: name, length, how they are read.
const GROUPS = [
  [['battery_voltage', 2, (b, at) => s16(b, at) / 4096]],
  [['bus_voltage', 2, (b, at) => s16(b, at) / 4096]],
  [['boot_count', 1, (b, at) => b[at]]],
  [
    ['temperature', 2, (b, at) => s16(b, at) / 256],
    ['pressure', 2, (b, at) => (u16(b, at) * 4) / 100],
    ['humidity', 1, (b, at) => (b[at] * 100) / 256],
  ],
  [['illuminance', 2, u16]],
  [
    ['pulse_count', 2, u16],
    ['pulse_count_2', 2, u16],
  ],
  [
    ['pulses_per_hour', 2, rate],
    ['pulses_per_hour_2', 2, rate],
  ],
]

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes[0] !== 0x14) return { errors: ['The format of the message is not known'] }
  if (bytes.length < 2) return { errors: ['The message is too short'] }
  const data = {}
  let at = 2
  for (let group = 0; group < GROUPS.length; group++) {
    if (!(bytes[1] & (1 << group))) continue
    for (const [name, length, read] of GROUPS[group]) {
      if (at + length > bytes.length) return { errors: ['The message is shorter than it says'] }
      data[name] = read(bytes, at)
      at += length
    }
  }
  return { data }
}
