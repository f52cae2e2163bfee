// Milesight CT101: current with one clamp, powered by the line. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const s16 = (b, at) => ((b[at] | (b[at + 1] << 8)) << 16) >> 16
const u32 = (b, at) => (b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)) >>> 0

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  919: [4, (d, b, at) => (d.charge = u32(b, at) / 100)],
  // All bits set: the current cannot be measured. Older devices tell tenths.
  1176: [
    2,
    (d, b, at) => {
      if (u16(b, at) !== 0xffff) d.current = u16(b, at) / 100
    },
  ],
  1177: [
    2,
    (d, b, at) => {
      if (u16(b, at) !== 0xffff) d.current = u16(b, at) / 10
    },
  ],
  2407: [
    2,
    (d, b, at) => {
      // Only with a probe; its own codes mean none.
      if (u16(b, at) < 0xfffd) d.temperature = s16(b, at) / 10
    },
  ],
  ...aboutDevice(),
}
