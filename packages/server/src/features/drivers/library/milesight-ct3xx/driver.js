// Milesight CT303, CT305 and CT310: currents. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const u32 = (b, at) => u16(b, at) + u16(b, at + 2) * 65536

// All bits set: the transformer cannot be read.
function current(d, b, at, suffix) {
  if (u16(b, at) !== 0xffff) d[`current${suffix}`] = u16(b, at) / 10
}

// Largest, smallest and present current, then alarms: 0x01 limit, 0x02 limit over, 0x04 out of range, 0x08 range over
function alarm(suffix) {
  return [
    7,
    (d, b, at) => {
      current(d, b, at + 4, suffix)
      d[`overcurrent_alarm${suffix}`] = (b[at + 6] & 0x05) !== 0
    },
  ]
}

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  919: [4, (d, b, at) => (d.charge = u32(b, at) / 100)],
  1177: [2, (d, b, at) => current(d, b, at, '')],
  1431: [4, (d, b, at) => (d.charge_2 = u32(b, at) / 100)],
  1689: [2, (d, b, at) => current(d, b, at, '_2')],
  1943: [4, (d, b, at) => (d.charge_3 = u32(b, at) / 100)],
  2201: [2, (d, b, at) => current(d, b, at, '_3')],
  2407: [2, (d, b, at) => (d.external_temperature = s16(b, at) / 10)],
  33945: alarm(''),
  34457: alarm('_2'),
  34969: alarm('_3'),
  35175: [3, (d, b, at) => (d.external_temperature = s16(b, at) / 10)],
  ...aboutDevice(),
}
