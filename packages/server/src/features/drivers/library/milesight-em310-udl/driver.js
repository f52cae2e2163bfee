// Milesight EM310-UDL: ultrasonic distance with tilt detection. Channel, type and value, little-endian, port 85.

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = new Map([
  [
    '01 75',
    [
      1,
      (d, b, at) => {
        d.battery = b[at]
      },
    ],
  ],
  [
    '03 82',
    [
      2,
      (d, b, at) => {
        d.distance = b[at] | (b[at + 1] << 8)
      },
    ],
  ],
  [
    '04 00',
    [
      1,
      (d, b, at) => {
        d.tilted = b[at] !== 0
      },
    ],
  ],
  // Channel 0xff describes the device itself.
  ['ff 01', [1]],
  ['ff 08', [6]],
  ['ff 09', [2]],
  ['ff 0a', [2]],
  ['ff 0b', [1]],
  ['ff 0f', [1]],
  ['ff 16', [8]],
  ['ff 18', [2]],
])

function hex(byte) {
  return (byte < 16 ? '0' : '') + byte.toString(16)
}

function decodeUplink(input) {
  const bytes = input.bytes
  const data = {}
  const warnings = []
  let at = 0
  while (at + 1 < bytes.length) {
    const name = `${hex(bytes[at])} ${hex(bytes[at + 1])}`
    const value = VALUES.get(name)
    if (value === undefined || at + 2 + value[0] > bytes.length) {
      warnings.push(`Value ${name} cannot be read, nor what follows it`)
      break
    }
    const [length, read] = value
    if (read !== undefined) read(data, bytes, at + 2)
    at += 2 + length
  }
  if (Object.keys(data).length === 0 && warnings.length > 0) return { errors: warnings }
  return { data, warnings }
}
