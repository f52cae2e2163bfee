// Milesight VS350: people who pass. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const s16 = (b, at) => (u16(b, at) << 16) >> 16

function counts(suffix) {
  return (d, b, at) => {
    d[`people_in${suffix}`] = u16(b, at)
    d[`people_out${suffix}`] = u16(b, at + 2)
  }
}

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  871: [2, (d, b, at) => (d.internal_temperature = s16(b, at) / 10)],
  1228: [4, counts('_total')],
  1484: [4, counts('')],
  // The same with an alarm behind.
  33639: [3, (d, b, at) => (d.internal_temperature = s16(b, at) / 10)],
  33996: [5, counts('_total')],
  34252: [5, counts('')],
  ...aboutDevice(),
}
