// Seeed SenseCAP T1000: tracker. Big-endian; byte 0 says what follows:
// 1, 2, 5 state: 1 battery | 6, 9 GNSS, 7, 10 Wi-Fi, 8, 11 Bluetooth: 1-3 events | 4 section | 5-8 time | where | battery at the end
// 6, 7, 8 have temperature and light before the battery | 13 errors | 17 where nothing was found: 1 why | 2-4 events | 5-8 time

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const u32 = (b, at) => u16(b, at) * 65536 + u16(b, at + 2)
const s32 = (b, at) => u32(b, at) | 0

function events(data, bits) {
  if (bits & 0x07) data.moving = (bits & 0x01) !== 0
  data.impact_alarm = (bits & 0x08) !== 0
  data.alarm = (bits & 0x40) !== 0
  data.button_pressed = (bits & 0x80) !== 0
}

function time(data, seconds) {
  // A clock that was not set counts from 0.
  if (seconds > 1e9) data.time = new Date(seconds * 1000).toISOString()
}

function climate(data, b, at) {
  if (u16(b, at) !== 0x8000) data.temperature = s16(b, at) / 10
  if (u16(b, at + 2) <= 100) data.light_share = u16(b, at + 2)
}

function hex(bytes) {
  return bytes.map((byte) => (byte < 16 ? '0' : '') + byte.toString(16)).join('')
}

// Addresses of 6 bytes with a level each, all bits set where there is none. The strongest one is kept.
function strongest(data, b, at, count, [id, rssi, found]) {
  data[found] = 0
  for (let i = 0; i < count; i++) {
    const address = b.slice(at + 7 * i, at + 7 * i + 6)
    if (address.every((byte) => byte === 0xff)) continue
    data[found]++
    const level = (b[at + 7 * i + 6] << 24) >> 24
    if (data[rssi] !== undefined && level <= data[rssi]) continue
    data[id] = hex(address)
    data[rssi] = level
  }
}

function position(data, b, at) {
  data.longitude = s32(b, at) / 1e6
  data.latitude = s32(b, at + 4) / 1e6
}
const wifi = (data, b, at) => strongest(data, b, at, 4, ['wifi_mac', 'wifi_rssi', 'wifi_count'])
const beacons = (data, b, at) => strongest(data, b, at, 3, ['beacon_id', 'beacon_rssi', 'ble_count'])

// Kind: length of where the device is, how it is read, whether the climate follows.
const FOUND = {
  6: [8, position, true],
  7: [28, wifi, true],
  8: [21, beacons, true],
  9: [8, position, false],
  10: [28, wifi, false],
  11: [21, beacons, false],
}

function readFound(b, [length, read, withClimate]) {
  const end = 9 + length
  if (b.length < end + (withClimate ? 5 : 1)) return undefined
  const data = {}
  events(data, b[3])
  time(data, u32(b, 5))
  read(data, b, 9)
  if (withClimate) climate(data, b, end)
  data.battery = b[end + (withClimate ? 4 : 0)]
  return data
}

function read(b) {
  if (FOUND[b[0]] !== undefined) return readFound(b, FOUND[b[0]])
  const data = {}
  switch (b[0]) {
    case 1:
    case 2:
    case 5:
      if (b.length < 5) return undefined
      data.battery = b[1]
      return data
    case 13:
      if (b.length < 5) return undefined
      data.error_code = u32(b, 1)
      return data
    case 17:
      if (b.length < 14) return undefined
      events(data, b[4])
      time(data, u32(b, 5))
      climate(data, b, 9)
      data.battery = b[13]
      return data
    default:
      return undefined
  }
}

function decodeUplink(input) {
  const data = read(input.bytes)
  if (data === undefined) return { errors: ['The message is too short or of a kind that is not known'] }
  return { data }
}
