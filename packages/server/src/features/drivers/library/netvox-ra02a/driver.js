// Netvox RA02A: smoke detector with heat alarm.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16

const smoke = (b) => ({ smoke_alarm: b[4] !== 0, heat_alarm: b[5] !== 0, temperature: s16(b, 6) / 10 })

const TYPES = new Map([[0x0a, smoke]])
