// Milesight AM307, AM308 and AM319: indoor air. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const s16 = (b, at) => (u16(b, at) << 16) >> 16

// All bits set, or nearly all, stand for a sensor that is warming up, failing or out of its range.
function gas(name, divisor) {
  return [
    2,
    (d, b, at) => {
      if (u16(b, at) < 0xfffd) d[name] = u16(b, at) / divisor
    },
  ]
}

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  373: [1, (d, b, at) => (d.battery = b[at])],
  871: [2, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  1128: [1, (d, b, at) => (d.humidity = b[at] / 2)],
  1280: [1, (d, b, at) => (d.occupied = b[at] !== 0)],
  1739: [1, (d, b, at) => (d.light_level = b[at])],
  1917: gas('co2', 1),
  // An index whose step depends on the firmware: 1, newer ones 0.01.
  2173: gas('tvoc_raw', 1),
  2278: gas('tvoc_mass', 1),
  2419: [2, (d, b, at) => (d.pressure = u16(b, at) / 10)],
  2685: gas('formaldehyde_mass', 100),
  2941: gas('pm2_5', 1),
  3197: gas('pm10', 1),
  3453: gas('ozone_ppm', 100),
  3585: [1, (d, b, at) => (d.buzzer_on = b[at] !== 0)],
  ...aboutDevice(),
}
