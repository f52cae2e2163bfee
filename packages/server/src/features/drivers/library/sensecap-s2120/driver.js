// Seeed SenseCAP S2120: weather station. Groups one behind the other, big-endian, each with its number in front.

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const u32 = (b, at) => u16(b, at) * 65536 + u16(b, at + 2)

function air(d, b, at) {
  d.temperature = s16(b, at) / 10
  d.humidity = b[at + 2]
  d.illuminance = u32(b, at + 3)
  d.uv_index = b[at + 7] / 10
  d.wind_speed = u16(b, at + 8) / 10
}
function sky(d, b, at) {
  d.wind_direction = u16(b, at)
  d.rain_per_hour = u32(b, at + 2) / 1000
  // Steps of 10 Pa.
  d.pressure = u16(b, at + 6) / 10
}

// Number of a group: its length, and the variables (d) that the bytes (b) from a place (at) on mean.
const GROUPS = {
  1: [10, air],
  2: [8, sky],
  3: [1, (d, b, at) => (d.battery = b[at])],
  // Battery, versions, intervals.
  4: [
    9,
    (d, b, at) => {
      d.battery = b[at]
      d.interval_minutes = u16(b, at + 5)
    },
  ],
  74: [10, air],
  75: [8, sky],
  76: [
    6,
    (d, b, at) => {
      d.wind_gust = u16(b, at) / 10
      d.rain_total = u32(b, at + 2) / 1000
    },
  ],
}

function decodeUplink(input) {
  const bytes = input.bytes
  const data = {}
  let at = 0
  while (at < bytes.length) {
    const group = GROUPS[bytes[at]]
    if (group === undefined || at + 1 + group[0] > bytes.length) {
      if (at === 0) return { errors: ['The message is too short or of a kind that is not known'] }
      return { data, warnings: ['A value of this message cannot be read, nor what follows it'] }
    }
    group[1](data, bytes, at + 1)
    at += 1 + group[0]
  }
  return { data }
}
