// MoireLabs P1A: pressure. Port 1: 0 unit | 1-4 smallest, 5-8 largest, 9-12 mean, 13-16 last value, IEEE 754, little-endian.
// Only the units 2 (kPa) and 3 (MPa) stand in published packets; others are refused.

function float(bytes, at) {
  const raw = ((bytes[at + 3] << 24) | (bytes[at + 2] << 16) | (bytes[at + 1] << 8) | bytes[at]) >>> 0
  const exponent = (raw >>> 23) & 0xff
  const fraction = raw & 0x7fffff
  if (exponent === 0xff) return undefined
  const size = exponent === 0 ? fraction * 2 ** -149 : (fraction | 0x800000) * 2 ** (exponent - 150)
  return raw & 0x80000000 ? -size : size
}

const BAR = { 2: 0.01, 3: 10 }

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 17) return { errors: ['The message is too short'] }
  const factor = BAR[bytes[0]]
  if (factor === undefined) return { errors: [`The unit ${bytes[0]} is not known`] }
  const data = {}
  const names = ['gauge_pressure_min', 'gauge_pressure_max', 'gauge_pressure_mean', 'gauge_pressure']
  for (let i = 0; i < names.length; i++) {
    const value = float(bytes, 1 + 4 * i)
    if (value !== undefined) data[names[i]] = value * factor
  }
  return { data }
}
