// Netvox R809A, R816B: switchable plug with energy meter.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3- values

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const u32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0

function plug(b, report) {
  if (report === 1)
    return { switch_on: b[3] !== 0, energy: u32(b, 4) / 1000, overcurrent_alarm: b[8] !== 0 || b[9] !== 0 }
  if (report === 2) return { voltage: u16(b, 3), current: u16(b, 5) / 1000, power: u16(b, 7) }
  return undefined
}
plug.withoutBattery = [1, 2]

const TYPES = new Map([
  [0x0e, plug], // R809A
  [0x73, plug], // R816B
])
