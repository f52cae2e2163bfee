// Netvox R718X, R718PE: fill level of waste bins by ultrasound.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16

const level = (b) => ({ occupied: b[4] !== 0, distance: u16(b, 5), fill_level: b[7] })
const bin = (b) => ({
  occupied: b[4] !== 0,
  distance: u16(b, 5),
  temperature: s16(b, 7) / 10,
  fill_level: b[9],
  tilt_angle: b[10],
})

const TYPES = new Map([
  [0xb1, level], // R718PE
  [0x34, bin], // R718X
])
