// TEKTELIC trackers. Port 10: a sequence of channel, type and value, big-endian. Port 25: beacons that were seen,
// nearest where the level is highest. Port 100: settings that were asked for.

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s8 = (b, at) => (b[at] << 24) >> 24

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  0: [1, (d, b, at) => (d.moving = b[at] !== 0)],
  // What the search for satellites is doing.
  4: [1],
  103: [2, (d, b, at) => (d.internal_temperature = s16(b, at) / 10)],
  113: [
    6,
    (d, b, at) => {
      d.acceleration_x = s16(b, at) / 1000
      d.acceleration_y = s16(b, at + 2) / 1000
      d.acceleration_z = s16(b, at + 4) / 1000
    },
  ],
  // Universal time, which the network knows as well.
  133: [7],
  136: [
    9,
    (d, b, at) => {
      // 24 bits in steps of 12.5 millionths of a degree, 32 bits in ten millionths, 16 bits in half metres.
      d.latitude = (((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8)) >> 8) / 80000
      d.longitude = ((b[at + 3] << 24) | (b[at + 4] << 16) | (b[at + 5] << 8) | b[at + 6]) / 1e7
      d.altitude = s16(b, at + 7) / 2
    },
  ],
  146: [2, (d, b, at) => (d.speed = u16(b, at) / 10)],
  149: [1, (d, b, at) => (d.position_valid = (b[at] & 2) !== 0)],
  186: [1, (d, b, at) => (d.battery_voltage = 2.5 + (b[at] & 0x7f) / 100)],
  189: [2, (d, b, at) => (d.battery_days = u16(b, at))],
  211: [1, (d, b, at) => (d.battery = b[at])],
  // Inside or outside of four areas.
  405: [1],
}

function readValues(bytes) {
  const data = {}
  const warnings = []
  let at = 0
  while (at + 1 < bytes.length) {
    const value = VALUES[u16(bytes, at)]
    if (value === undefined || at + 2 + value[0] > bytes.length) {
      warnings.push('A value of this message cannot be read, nor what follows it')
      break
    }
    if (value[1] !== undefined) value[1](data, bytes, at + 2)
    at += 2 + value[0]
  }
  if (Object.keys(data).length === 0 && warnings.length > 0) return { errors: warnings }
  return { data, warnings }
}

function hex(bytes) {
  return bytes.map((byte) => (byte < 16 ? '0' : '') + byte.toString(16)).join('')
}

// 0x0a: whole addresses, 0xb0 to 0xb3: the last three bytes of those that passed a filter; a level behind each.
function readBeacons(bytes) {
  const length = bytes[0] === 0x0a ? 6 : (bytes[0] & 0xfc) === 0xb0 ? 3 : 0
  if (length === 0) return { errors: ['The kind of the beacon report is not known'] }
  const data = { ble_count: 0 }
  for (let at = 1; at + length < bytes.length; at += length + 1) {
    data.ble_count++
    const rssi = s8(bytes, at + length)
    if (data.beacon_rssi !== undefined && rssi <= data.beacon_rssi) continue
    data.beacon_id = hex(bytes.slice(at, at + length))
    data.beacon_rssi = rssi
  }
  return { data }
}

function decodeUplink(input) {
  const bytes = input.bytes
  switch (input.fPort) {
    case 10:
      return readValues(bytes)
    case 25:
      return readBeacons(bytes)
    case 100:
      if (bytes[0] !== 0x50 || bytes.length < 2)
        return { data: {}, warnings: ['An answer about settings, nothing was measured'] }
      return { data: { beacon_averaging: (bytes[1] & 0x80) !== 0, beacons_reported_max: bytes[1] & 0x7f } }
    case 101:
      return { data: {}, warnings: ['An answer about settings, nothing was measured'] }
    default:
      return { errors: [`Port ${input.fPort} is not known`] }
  }
}
