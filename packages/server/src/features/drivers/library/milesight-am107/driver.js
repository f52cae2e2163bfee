// Milesight AM107: indoor climate. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const s16 = (b, at) => (u16(b, at) << 16) >> 16

// All bits set, or nearly all, stand for a sensor that is warming up or failing.
function put(d, name, raw) {
  if (raw < 0xfffd) d[name] = raw
}

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  871: [2, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  1128: [1, (d, b, at) => (d.humidity = b[at] / 2)],
  1386: [2, (d, b, at) => (d.motion_level = u16(b, at))],
  1637: [
    6,
    (d, b, at) => {
      d.illuminance = u16(b, at)
      d.light_visible_infrared = u16(b, at + 2)
      d.light_infrared = u16(b, at + 4)
    },
  ],
  1917: [2, (d, b, at) => put(d, 'co2', u16(b, at))],
  2173: [2, (d, b, at) => put(d, 'tvoc', u16(b, at))],
  2419: [2, (d, b, at) => (d.pressure = u16(b, at) / 10)],
  ...aboutDevice(),
}
