// NAS UL20xx: street light controller. Little-endian.
// Port 24 state: 0-3 time | 4 states | 5 RSSI | 6 SNR | 7 temperature | port 25 use: address, which values follow, values
// Port 99 start: 0 | 1-4 number | 5-7 firmware

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const u32 = (b, at) => (b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)) >>> 0

// Values of port 25 for each flag, lowest first: name, length, what they are divided by.
const USE = [
  ['energy', 4, 1000],
  ['power', 2, 1],
  ['load_energy', 4, 1000],
  ['load_power', 2, 1],
  ['power_factor', 1, 100],
  ['voltage', 1, 1],
  ['operating_hours', 4, 3600],
  ['lamp_hours', 4, 3600],
]

function state(b) {
  if (b.length < 8) return { errors: ['The message is too short'] }
  return {
    data: {
      time: new Date(u32(b, 0) * 1000).toISOString(),
      status_code: b[4],
      downlink_rssi: -b[5],
      downlink_snr: (b[6] << 24) >> 24,
      temperature: (b[7] << 24) >> 24,
    },
  }
}
// Several lamps follow each other; the first one speaks for the controller.
function use(b) {
  if (b.length < 2) return { errors: ['The message is too short'] }
  const data = {}
  let at = 2
  for (let flag = 0; flag < USE.length; flag++) {
    if (!(b[1] & (1 << flag))) continue
    const [name, length, divisor] = USE[flag]
    if (at + length > b.length) return { errors: ['The message is shorter than it says'] }
    const raw = length === 4 ? u32(b, at) : length === 2 ? u16(b, at) : b[at]
    // All bits set: this driver cannot tell it.
    if (raw !== 256 ** length - 1) data[name] = raw / divisor
    at += length
  }
  return { data }
}
function hex(byte) {
  return (byte < 16 ? '0' : '') + byte.toString(16).toUpperCase()
}
function start(b) {
  if (b.length < 8 || b[0] !== 0)
    return { data: {}, warnings: ['A message about the device, nothing was measured'] }
  return {
    data: {
      serial_number: b.slice(1, 5).reverse().map(hex).join(''),
      firmware_version: b.slice(5, 8).join('.'),
    },
  }
}

function decodeUplink(input) {
  const bytes = input.bytes
  switch (input.fPort) {
    case 24:
      return state(bytes)
    case 25:
      return use(bytes)
    case 99:
      return start(bytes)
    // Confirmations of commands, settings and alerts.
    case 50:
    case 60:
    case 61:
      return { data: {}, warnings: ['A message about the device, nothing was measured'] }
    default:
      return { errors: [`Port ${input.fPort} is not known`] }
  }
}
