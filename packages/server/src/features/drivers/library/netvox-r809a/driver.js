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

const TYPES = new Map([
  [0x0e, plug], // R809A
  [0x73, plug], // R816B
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
  return { data: values }
}
