// Netvox RB11E: presence, temperature and light.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16

const room = (b) => ({
  temperature: s16(b, 4) / 100,
  illuminance: u16(b, 6),
  occupied: b[8] !== 0,
  tamper: b[9] !== 0,
})

const TYPES = new Map([[0x03, room]])
