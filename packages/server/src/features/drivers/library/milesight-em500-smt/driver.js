// Milesight EM500-SMT: soil moisture, temperature and conductivity. A sequence of channel, type and value, little-endian, usually on port 85.

const s16 = (b, at) => ((b[at] | (b[at + 1] << 8)) << 16) >> 16
const u16 = (b, at) => b[at] | (b[at + 1] << 8)

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  871: [2, (d, b, at) => (d.soil_temperature = s16(b, at) / 10)],
  // Halves of a percent in older devices, hundredths in newer ones.
  1128: [1, (d, b, at) => (d.soil_moisture = b[at] / 2)],
  1226: [2, (d, b, at) => (d.soil_moisture = u16(b, at) / 100)],
  1407: [2, (d, b, at) => (d.soil_conductivity = u16(b, at))],
  ...aboutDevice(),
}
