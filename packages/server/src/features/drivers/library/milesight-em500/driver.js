// Milesight EM500: family for temperature, distance, water depth and CO₂ outdoors. A sequence of channel, type and value, little-endian, usually on port 85.

const s16 = (b, at) => ((b[at] | (b[at + 1] << 8)) << 16) >> 16
const u16 = (b, at) => b[at] | (b[at + 1] << 8)

// All bits set, or nearly all, stand for a sensor that is warming up, failing or out of its range.
function put(d, name, raw, factor) {
  if (raw < 0xfffd) d[name] = raw * factor
}

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  871: [2, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  // Distance of the UDL in millimetres, depth of the SWL in centimetres.
  898: [2, (d, b, at) => put(d, 'distance', u16(b, at), 1)],
  887: [2, (d, b, at) => put(d, 'water_depth', u16(b, at), 10)],
  1128: [1, (d, b, at) => (d.humidity = b[at] / 2)],
  1405: [2, (d, b, at) => put(d, 'co2', u16(b, at), 1)],
  1651: [2, (d, b, at) => (d.pressure = u16(b, at) / 10)],
  // Distance with how far it jumped and an alarm behind.
  33769: [5, (d, b, at) => put(d, 'distance', u16(b, at), 1)],
  ...aboutDevice(),
}
