// Netvox R718N: current with one or three clamps.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

// Milliamperes times a factor. Of three clamps the factors of the second and third come in a second report, so that
// their values are told as they were sent.
const one = (b) => ({ current: (u16(b, 4) * b[6]) / 1000 })
function three(b, report) {
  if (report === 1)
    return { current: (u16(b, 4) * b[10]) / 1000, current_l2_raw: u16(b, 6), current_l3_raw: u16(b, 8) }
  if (report === 2) return { current_l2_factor: b[4], current_l3_factor: b[5] }
  return undefined
}

const TYPES = new Map([
  [0x49, one], // R718N1
  [0x4a, three], // R718N3
])
