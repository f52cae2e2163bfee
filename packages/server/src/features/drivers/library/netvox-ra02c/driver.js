// Netvox RA02C: carbon monoxide detector with heat alarm.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const gas = (b) => ({ co_alarm: b[4] !== 0, heat_alarm: b[5] !== 0 })

const TYPES = new Map([[0x11, gas]])
