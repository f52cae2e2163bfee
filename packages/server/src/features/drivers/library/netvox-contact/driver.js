// Netvox R311, R718, R720F, R730: sensors for vibration, tilt, contact, opening and activity with the same layout.
// 0 version | 1 type of the device | 2 kind of report, 0 its versions | 3 battery in tenths of a volt, bit 7: weak | 4- values

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0
const s8 = (byte) => (byte << 24) >> 24

const state = (b) => ({ triggered: b[4] !== 0 })
// Asset sensors tell how they hear the gateway while they are still.
const reception = (b) => ({ downlink_rssi: s16(b, 4), downlink_snr: s8(b[6]) })
const duration = (b) => ({ work_duration: u32(b, 4) })

const TYPES = new Map([
  [0xa8, state], // R311DA
  [0xa9, state], // R311DB
  [0x4f, state], // R311FA
  [0x1a, state], // R718DA
  [0x1b, state], // R718DB
  [0x21, state], // R718J
  [0x25, state], // R718LB
  [0x27, state], // R718MBA
  [0x5b, state], // R718Q
  [0x97, state], // R718QA
  [0xb7, state], // R720F
  [0x89, state], // R730DA
  [0x8b, state], // R730DB
  [0x82, state], // R730MBA
  [0x51, duration], // R311FC
  [0x2c, duration], // R718MBC
  [0x4e, reception], // R311D
  [0x26, reception], // R718MA
])
