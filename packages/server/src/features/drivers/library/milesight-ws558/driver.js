// Milesight WS558: light controller with eight channels and power meter. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const u32 = (b, at) => (b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)) >>> 0

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  884: [2, (d, b, at) => (d.voltage = u16(b, at) / 10)],
  1152: [4, (d, b, at) => (d.power = u32(b, at))],
  1409: [1, (d, b, at) => (d.power_factor = b[at] / 100)],
  1667: [4, (d, b, at) => (d.energy = u32(b, at) / 1000)],
  1993: [2, (d, b, at) => (d.current = u16(b, at) / 1000)],
  // Which channels changed, and which are on: a bit for each.
  2097: [2, (d, b, at) => (d.channels_on = b[at + 1])],
  ...aboutDevice(),
}
