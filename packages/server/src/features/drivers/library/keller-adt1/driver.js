// KELLER ADT1 and ARC1: water level by pressure in bar. Big-endian.
// Function 1: 1 | kind of connection | 2-3 which values follow | 32 bit floats; function 12: about the device

// Value for each flag, lowest first.
const CHANNELS = [
  'differential_pressure',
  'gauge_pressure',
  'gauge_pressure_2',
  'temperature',
  'water_temperature',
  'external_temperature',
  'reference_pressure',
  'barometer_temperature',
]
// Connection of a single pressure probe with the barometer of the device.
const CONNECTION = 3

function device(b) {
  const data = {
    firmware_version: `${b[4]}.${b[5]}`,
    serial_number: ((b[6] << 24) | (b[7] << 16) | (b[8] << 8) | b[9]) >>> 0,
  }
  data.battery_voltage = float(b, 14)
  data.battery = b[18]
  data.humidity = b[19]
  return { data }
}

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes[0] === 12 && bytes.length >= 20) return device(bytes)
  if (bytes[0] !== 1) return { errors: [`Function ${bytes[0]} carries no measurements`] }
  if (bytes.length < 4) return { errors: ['The message is too short'] }
  if (bytes[1] !== CONNECTION) return { errors: [`Connection ${bytes[1]} is not known`] }
  const flags = (bytes[2] << 8) | bytes[3]
  const data = {}
  let at = 4
  for (let channel = 0; channel < 16; channel++) {
    if (!(flags & (1 << channel))) continue
    if (at + 4 > bytes.length) return { errors: ['The message is shorter than it says'] }
    if (CHANNELS[channel] !== undefined) data[CHANNELS[channel]] = float(bytes, at)
    at += 4
  }
  return { data }
}
