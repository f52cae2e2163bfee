// Milesight WS302: sound level. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  // How it is weighted, then level now, mean and largest.
  1371: [
    7,
    (d, b, at) => {
      d.sound_level = u16(b, at + 1) / 10
      d.sound_level_mean = u16(b, at + 3) / 10
      d.sound_peak = u16(b, at + 5) / 10
    },
  ],
  ...aboutDevice(),
}
