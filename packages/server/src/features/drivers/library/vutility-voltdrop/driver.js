// Vutility VoltDrop: three-phase meter. Port 3, big-endian. Byte 0 says what follows:
// 38 voltage, angle, current and largest current | 39 voltage, angle | 40 voltage, power factor | 41 current, largest current
// 42, 43 energy | 44, 45 apparent energy | 46 after a start | 47 what is wrong

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const s8 = (b, at) => (b[at] << 24) >> 24

function each(data, name, read) {
  for (let phase = 0; phase < 3; phase++) data[`${name}_l${phase + 1}`] = read(phase)
}

const voltages = (d, b, at) => each(d, 'voltage', (n) => u16(b, at + 2 * n) / 64)
const angles = (d, b, at) => each(d, 'phase_angle', (n) => (b[at + n] / 255) * 360)

// The largest is told as so many 32nds above the mean.
function currents(data, bytes, at) {
  each(data, 'current', (n) => u16(bytes, at + 2 * n) / 16)
  each(data, 'current_max', (n) => data[`current_l${n + 1}`] * (1 + bytes[at + 6 + n] / 32))
}

// The whole range of the byte is 5 V, and 120 °C from −40 °C on.
const capacitor = (d, b, at) => (d.capacitor_voltage = (b[at] / 255) * 5)
const temperature = (d, b, at) => (d.internal_temperature = (b[at] / 255) * 120 - 40)

// 64 bits with sign, in Wh. Beyond 2^53 a number is not exact; no meter gets there.
function energy(data, bytes, name) {
  const high = (bytes[1] << 24) | (bytes[2] << 16) | (bytes[3] << 8) | bytes[4]
  const low = ((bytes[5] << 24) | (bytes[6] << 16) | (bytes[7] << 8) | bytes[8]) >>> 0
  data[name] = (high * 4294967296 + low) / 1000
  // In 128ths of a percent.
  data.power_factor = s16(bytes, 9) / 12800
}

const RESTART_CAUSES = ['power loss', 'hardware', 'watchdog', 'software', 'lock-up']

function read(bytes) {
  const data = {}
  switch (bytes[0]) {
    case 38:
      voltages(data, bytes, 1)
      angles(data, bytes, 7)
      capacitor(data, bytes, 10)
      currents(data, bytes, 11)
      temperature(data, bytes, 20)
      return data
    case 39:
      voltages(data, bytes, 1)
      angles(data, bytes, 7)
      capacitor(data, bytes, 10)
      return data
    case 40:
      voltages(data, bytes, 1)
      each(data, 'power_factor', (n) => s8(bytes, 7 + n) / 100)
      capacitor(data, bytes, 10)
      return data
    case 41:
      currents(data, bytes, 1)
      temperature(data, bytes, 10)
      return data
    case 42:
    case 43:
      energy(data, bytes, 'energy')
      return data
    case 44:
    case 45:
      energy(data, bytes, 'apparent_energy')
      return data
    case 46:
      data.restart_cause = RESTART_CAUSES[bytes[1]] || 'other'
      return data
    case 47:
      data.error_code = u16(bytes, 1)
      return data
    default:
      return undefined
  }
}

function decodeUplink(input) {
  const bytes = input.bytes
  const data = read(bytes)
  if (data === undefined) return { errors: ['The kind of the message is not known'] }
  if (bytes.length !== (bytes[0] === 38 ? 21 : 11))
    return { errors: ['The message does not have the length of its kind'] }
  return { data }
}
