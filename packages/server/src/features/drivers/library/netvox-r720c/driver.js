// Netvox R720C: air pressure and temperature.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0

const air = (b) => ({ pressure: u32(b, 4) / 100, temperature: s16(b, 8) / 100 })

const TYPES = new Map([[0x70, air]])
