// Milesight VS132 and VS133: people who cross lines. A sequence of channel, type and value, little-endian, usually on port 85.

const u16 = (b, at) => b[at] | (b[at + 1] << 8)
const u32 = (b, at) => u16(b, at) + u16(b, at + 2) * 65536

const total = (name) => [4, (d, b, at) => (d[name] = u32(b, at))]

function period(suffix) {
  return [
    4,
    (d, b, at) => {
      d[`people_in${suffix}`] = u16(b, at)
      d[`people_out${suffix}`] = u16(b, at + 2)
    },
  ]
}

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  978: total('people_in_total'),
  1234: total('people_out_total'),
  1484: period(''),
  1746: total('people_in_total_2'),
  2002: total('people_out_total_2'),
  2252: period('_2'),
  2514: total('people_in_total_3'),
  2770: total('people_out_total_3'),
  3020: period('_3'),
  3282: total('people_in_total_4'),
  3538: total('people_out_total_4'),
  3788: period('_4'),
  4067: [
    4,
    (d, b, at) => {
      for (let i = 0; i < 4; i++) d[`people_region_${i + 1}`] = b[at + i]
    },
  ],
  4324: [
    5,
    (d, b, at) => {
      if (b[at] < 1 || b[at] > 4) return
      d[`dwell_mean_${b[at]}`] = u16(b, at + 1)
      d[`dwell_max_${b[at]}`] = u16(b, at + 3)
    },
  ],
  ...aboutDevice(),
}
