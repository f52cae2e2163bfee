// Netvox R718I: analogue input 0–5 V or 0–10 V.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

const one = (b) => ({ analog_raw: u16(b, 4) })
const two = (b) => ({ analog_raw: u16(b, 4), analog_raw_2: u16(b, 6) })

const TYPES = new Map([
  [0x20, one], // R718IA
  [0x41, two], // R718IA2
  [0x2a, one], // R718IB
  [0x42, two], // R718IB2
])
