// Axioma Qalcosonic W1: ultrasonic water meter. Port 100, little-endian.
// 0-3 time | 4 status | 5-8 volume in litres | 9-12 time of the log | 13-16 volume then | 17- what each hour after it added

const STATUS = new Map([
  [0x00, 'ok'],
  [0x04, 'low_battery'],
  [0x08, 'permanent_error'],
  [0x10, 'empty_pipe'],
  [0x30, 'leakage'],
  [0x70, 'backflow'],
  [0x90, 'low_temperature'],
  [0xb0, 'burst'],
  [0xd0, 'manipulation'],
])

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 100) return { errors: [`Port ${input.fPort} is not used for measurements`] }
  if (bytes.length < 9) return { errors: ['The message is too short'] }
  function u16(at) {
    return bytes[at] | (bytes[at + 1] << 8)
  }
  function u32(at) {
    return u16(at + 2) * 65536 + u16(at)
  }
  function time(seconds) {
    return new Date(seconds * 1000).toISOString()
  }
  const data = {
    time: time(u32(0)),
    volume: u32(5) / 1000,
    status: STATUS.get(bytes[4]) || 'unknown',
    status_code: bytes[4],
    battery_low: (bytes[4] & 0x04) !== 0,
  }
  if (bytes.length >= 17) {
    let hour = u32(9)
    let litres = u32(13)
    data.history = [{ time: time(hour), volume: litres / 1000 }]
    for (let at = 17; at + 1 < bytes.length; at += 2) {
      hour += 3600
      litres += u16(at)
      // Nothing can have been logged after the message itself was made.
      if (hour > u32(0)) break
      data.history.push({ time: time(hour), volume: litres / 1000 })
    }
  }
  return { data }
}
