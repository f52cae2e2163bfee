// Adeunis TEMP, version 4. Messages 0x57 (regular) and 0x58 (alarm, of one value), big-endian.
// 0 kind | 1 state | values of both probes in turns, the latest first | the last 4 bytes: seconds since 2013, if state says so

const u16 = (b, at) => (b[at] << 8) | b[at + 1]
const s16 = (b, at) => (u16(b, at) << 16) >> 16
const u32 = (b, at) => u16(b, at) * 65536 + u16(b, at + 2)

const LOW_BATTERY = 0x02
const WITH_TIME = 0x04
const HARDWARE_ERROR = 0x08
const TWO_PROBES = 0x10
const START_OF_2013 = 1356998400
// What stands for a probe that cannot be read.
const NO_VALUE = -32768

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 2) return { errors: ['The message is too short'] }
  const state = bytes[1]
  const data = { battery_low: (state & LOW_BATTERY) !== 0, hardware_error: (state & HARDWARE_ERROR) !== 0 }
  if (bytes[0] !== 0x57) return { data, warnings: ['A message of another kind, nothing was measured'] }
  const withTime = (state & WITH_TIME) !== 0 && bytes.length >= 6
  const end = bytes.length - (withTime ? 4 : 0)
  if (withTime) data.time = new Date((u32(bytes, end) + START_OF_2013) * 1000).toISOString()
  if (end >= 4 && s16(bytes, 2) !== NO_VALUE) data.temperature = s16(bytes, 2) / 10
  if (state & TWO_PROBES && end >= 6 && s16(bytes, 4) !== NO_VALUE) data.temperature_2 = s16(bytes, 4) / 10
  return { data }
}
