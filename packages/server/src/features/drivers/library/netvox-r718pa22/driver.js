// Netvox R718PA22: liquid level by ultrasound from below.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16

const level = (b) => ({ water_depth: u16(b, 4), temperature: s16(b, 6), install_ok: b[8] === 0 })

const TYPES = new Map([[0x9b, level]])
