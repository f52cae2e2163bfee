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

function decodeUplink(input) {
  const bytes = input.bytes
  // Ports above 6 carry replies to settings.
  if (input.fPort === 7 || input.fPort === 13)
    return { data: {}, warnings: ['A reply to a setting, nothing was measured'] }
  if (input.fPort !== 6) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 11) return { errors: ['The message is too short'] }
  const read = TYPES.get(bytes[1])
  if (read === undefined) return { errors: [`This is another device, type 0x${bytes[1].toString(16)}`] }
  if (bytes[2] === 0) return { data: { firmware_version: bytes[3] / 10, hardware_version: bytes[4] } }
  const values = read(bytes, bytes[2])
  if (values === undefined) return { errors: [`Report ${bytes[2]} is not known`] }
  return {
    data: Object.assign(
      { battery_voltage: (bytes[3] & 0x7f) / 10, battery_low: (bytes[3] & 0x80) !== 0 },
      values,
    ),
  }
}
