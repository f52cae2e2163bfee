// Netvox R718H, R718H2: pulse counter with one or two inputs.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

const one = (b) => ({ pulse_count: u16(b, 4) })
const two = (b) => ({ pulse_count: u16(b, 4), pulse_count_2: u16(b, 6) })

const TYPES = new Map([
  [0x1f, one], // R718H
  [0x3f, two], // R718H2
])
