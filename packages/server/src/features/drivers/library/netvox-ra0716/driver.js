// Netvox RA0716, R72616: fine dust with temperature and humidity.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16

const dust = (b) => ({ temperature: s16(b, 4) / 100, humidity: u16(b, 6) / 100, pm2_5: u16(b, 8) })

const TYPES = new Map([
  [0x35, dust], // RA0716
  [0x36, dust], // R72616
  [0x37, dust], // R72716
  [0x6a, dust], // R72616A
])
