// Milesight EM300: climate with a door contact or a leak detector. A sequence of channel, type and value, little-endian, usually on port 85.

const s16 = (b, at) => ((b[at] | (b[at + 1] << 8)) << 16) >> 16

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  871: [2, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  1128: [1, (d, b, at) => (d.humidity = b[at] / 2)],
  1280: [1, (d, b, at) => (d.water_leak = b[at] !== 0)],
  1536: [1, (d, b, at) => (d.open = b[at] !== 0)],
  ...aboutDevice(),
}
