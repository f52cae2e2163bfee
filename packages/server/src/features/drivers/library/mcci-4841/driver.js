// MCCI Catena 4841: air quality. Ports 1 and 5, big-endian; format 0x20 with air pressure, 0x21 without.
// 0 format | 1 which values follow | values in the order of the flags

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
// Half a float: 4 bits exponent, 12 bits fraction; the whole is scaled by 65536.
const small = (b, at) => ((((b[at] & 0x0f) << 8) | b[at + 1]) / 4096) * 2 ** ((b[at] >> 4) - 15) * 65536

const PARTICLES = ['pm1', 'pm2_5', 'pm10']
const COUNTS = ['dust_0_3', 'dust_0_5', 'dust_1', 'dust_2_5', 'dust_5', 'dust_10']

// Values for each flag, lowest first: name, length, how they are read.
function layout(format, fPort) {
  const volts = (b, at) => s16(b, at) / 4096
  const climate = [['temperature', 2, (b, at) => s16(b, at) / 256]]
  if (format === 0x20) climate.push(['pressure', 2, (b, at) => (u16(b, at) * 4) / 100])
  climate.push(['humidity', 2, (b, at) => (u16(b, at) * 100) / 65535])
  // Volatile compounds belong to the climate on port 5 and stand at the end on port 1.
  const compounds = ['tvoc', 2, u16]
  if (fPort === 5) climate.push(compounds)
  const groups = [
    [['battery_voltage', 2, volts]],
    [['system_voltage', 2, volts]],
    [['bus_voltage', 2, volts]],
    [['boot_count', 1, (b, at) => b[at]]],
    climate,
    PARTICLES.map((name) => [name, 2, small]),
    COUNTS.map((name) => [name, 2, small]),
  ]
  if (fPort === 1) groups.push([compounds])
  return groups
}

function decodeUplink(input) {
  const bytes = input.bytes
  const format = bytes[0]
  if (input.fPort !== 1 && input.fPort !== 5) return { errors: [`Port ${input.fPort} is not known`] }
  if (format !== 0x20 && format !== 0x21) return { errors: ['The format of the message is not known'] }
  if (bytes.length < 2) return { errors: ['The message is too short'] }
  const flags = bytes[1]
  const groups = layout(format, input.fPort)
  const data = {}
  let at = 2
  for (let group = 0; group < groups.length; group++) {
    if (!(flags & (1 << group))) continue
    for (const [name, length, read] of groups[group]) {
      if (at + length > bytes.length) return { errors: ['The message is shorter than it says'] }
      data[name] = read(bytes, at)
      at += length
    }
  }
  return { data }
}
