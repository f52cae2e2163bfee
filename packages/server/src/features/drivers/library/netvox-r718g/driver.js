// Netvox R718G: illuminance.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const u32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0

const light = (b) => ({ illuminance: u32(b, 4) })

const TYPES = new Map([[0x1e, light]])
