// Netvox R718KA: current loop 4–20 mA with one or two inputs.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const one = (b) => ({ loop_current: b[4] + b[5] / 10 })
// Both whole numbers stand before both tenths.
const two = (b) => ({ loop_current: b[4] + b[6] / 10, loop_current_2: b[5] + b[7] / 10 })

const TYPES = new Map([
  [0x22, one], // R718KA
  [0x44, two], // R718KA2
])
