// MCCI Catena 4430. Port 2, format 0x22, big-endian.
// 0 format | 1-4 time | 5 which values follow | values in the order of the flags

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const u32 = (b, at) => u16(b, at) * 65536 + u16(b, at + 2)

// 1980-01-06 in seconds since 1970, and what universal time has lost against GPS since then (2017 and later).
const GPS_START = 315964800
const LEAP_SECONDS = 18

// 4 bits exponent, 12 bits fraction; the published decoding has it in units of 2^-24.
const light = (b, at) => ((u16(b, at) & 0x0fff) / 4096) * 2 ** ((b[at] >> 4) - 15) * 16777216
// Sign, 4 bits exponent, 11 bits fraction: -1 no movement, 1 always.
function activity(b, at) {
  const size = ((u16(b, at) & 0x07ff) / 2048) * 2 ** (((b[at] >> 3) & 0x0f) - 15)
  return b[at] & 0x80 ? -size : size
}

// Values for each flag, lowest first: name, length, how they are read.
const GROUPS = [
  [['battery_voltage', 2, (b, at) => s16(b, at) / 4096]],
  [['system_voltage', 2, (b, at) => s16(b, at) / 4096]],
  [['bus_voltage', 2, (b, at) => s16(b, at) / 4096]],
  [['boot_count', 1, (b, at) => b[at]]],
  [
    ['temperature', 2, (b, at) => s16(b, at) / 256],
    ['pressure', 2, (b, at) => u16(b, at) / 25],
    ['humidity', 2, (b, at) => (u16(b, at) * 100) / 65535],
  ],
  [['light_raw', 2, light]],
  [
    ['pulse_count', 2, u16],
    ['pulse_count_delta', 1, (b, at) => b[at]],
    ['pulse_count_2', 2, u16],
    ['pulse_count_delta_2', 1, (b, at) => b[at]],
  ],
]

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes[0] !== 0x22) return { errors: ['The format of the message is not known'] }
  if (bytes.length < 6) return { errors: ['The message is too short'] }
  const data = {}
  // Seconds of GPS. A clock that was never set counts from 0.
  const time = u32(bytes, 1)
  if (time > 1e9) data.time = new Date((time + GPS_START - LEAP_SECONDS) * 1000).toISOString()
  let at = 6
  for (let group = 0; group < GROUPS.length; group++) {
    if (!(bytes[5] & (1 << group))) continue
    for (const [name, length, read] of GROUPS[group]) {
      if (at + length > bytes.length) return { errors: ['The message is shorter than it says'] }
      data[name] = read(bytes, at)
      at += length
    }
  }
  if (bytes[5] & 0x80) {
    // One value a minute, the last one at the time of the message.
    const count = (bytes.length - at) >> 1
    for (let minute = 0; minute < Math.min(count, 6); minute++) {
      data[minute === 0 ? 'activity' : `activity_${minute}`] = activity(bytes, at + 2 * (count - 1 - minute))
    }
  }
  return { data }
}
