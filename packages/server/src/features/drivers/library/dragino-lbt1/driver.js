// Dragino LBT1: beacons, steps and an alarm button. Port 2, big-endian; the beacon as text.
// 0-1 battery | 2-4 alarm in the highest 4 bits, steps in the others | 5 mode | then what the mode has of the beacon:
// 1 five digits | 2 UUID, address | 3 UUID of 12 digits, major, minor, power, level | 5 the same as 3 in bytes, UUID of 16

function text(bytes, from, to) {
  return String.fromCharCode.apply(null, bytes.slice(from, to))
}

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

const LENGTHS = { 1: 11, 2: 50, 3: 32, 5: 30 }

function beacon(bytes) {
  switch (bytes[5]) {
    case 1:
      return { beacon_id: text(bytes, 6, 11) }
    case 2:
      return { beacon_id: text(bytes, 6, 38) }
    case 3:
      return {
        beacon_id: text(bytes, 6, 18),
        beacon_major: Number.parseInt(text(bytes, 18, 22), 16),
        beacon_minor: Number.parseInt(text(bytes, 22, 26), 16),
        beacon_rssi: Number(text(bytes, 28, 32)),
      }
    default:
      return {
        beacon_id: bytes
          .slice(6, 22)
          .map((byte) => (byte < 16 ? '0' : '') + byte.toString(16))
          .join(''),
        beacon_major: u16(bytes, 22),
        beacon_minor: u16(bytes, 24),
        beacon_rssi: (u16(bytes, 28) << 16) >> 16,
      }
  }
}

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 6) return { errors: ['The message is too short'] }
  const data = {
    battery_voltage: u16(bytes, 0) / 1000,
    alarm: bytes[2] >> 4 !== 0,
    step_count: ((bytes[2] & 0x0f) << 16) | u16(bytes, 3),
  }
  if (LENGTHS[bytes[5]] === undefined)
    return { data, warnings: ['The mode is not known, its beacons are not read'] }
  if (bytes.length < LENGTHS[bytes[5]]) return { data, warnings: ['No beacon was seen'] }
  const found = beacon(bytes)
  for (const key in found) if (!Number.isNaN(found[key])) data[key] = found[key]
  return { data }
}
