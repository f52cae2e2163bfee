// Dragino LDS02 and LWL02: contact and leak detector. Port 10, big-endian.
// 0-1 open, leak, battery | 2 kind: 1 door, 2 leak, 3 both | 3-5 how often | 6-8 minutes of the last time | 9 alarm

const u24 = (b, at) => (b[at] << 16) | (b[at + 1] << 8) | b[at + 2]

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 10) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 3) return { errors: ['The message is too short'] }
  const kind = bytes[2]
  if (kind < 1 || kind > 3) return { errors: ['The kind of the message is not known'] }
  const data = { battery_voltage: (((bytes[0] & 0x3f) << 8) | bytes[1]) / 1000 }
  if (kind !== 2) data.open = (bytes[0] & 0x80) !== 0
  if (kind !== 1) data.water_leak = (bytes[0] & 0x40) !== 0
  if (kind === 3) return { data }
  const [count, duration] = kind === 1 ? ['open_count', 'open_duration'] : ['leak_count', 'leak_duration']
  if (bytes.length > 5) data[count] = u24(bytes, 3)
  if (bytes.length > 8) data[duration] = u24(bytes, 6)
  if (bytes.length > 9) data.alarm = (bytes[9] & 0x01) !== 0
  return { data }
}
