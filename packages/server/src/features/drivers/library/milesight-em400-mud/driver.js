// Milesight EM400-MUD: fill level of waste bins by ultrasound, with temperature and position. A sequence of channel, type and value, little-endian, usually on port 85.

const s16 = (b, at) => ((b[at] | (b[at + 1] << 8)) << 16) >> 16
const u16 = (b, at) => b[at] | (b[at + 1] << 8)

// 0xfffd: out of range.
function distance(d, b, at) {
  if (u16(b, at) < 0xfffd) d.distance = u16(b, at)
}

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  871: [2, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  1154: [2, distance],
  1280: [1, (d, b, at) => (d.tilted = b[at] !== 0)],
  // The same with an alarm behind.
  33639: [3, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  33922: [3, distance],
  ...aboutDevice(),
}
