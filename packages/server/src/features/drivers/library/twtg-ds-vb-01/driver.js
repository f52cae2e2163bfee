// TWTG DS-VB-01-xx: vibration. Port 15, little-endian, hundredths.
// 0 version and kind | 1 reason | velocity and acceleration: for x, y and z least, greatest and mean | temperature | conditions

const s16 = (b, at) => ((b[at] | (b[at + 1] << 8)) << 16) >> 16

const TRIGGERS = { 0: 'timer', 1: 'button' }
const EVENT = 3

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 15) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 1 || bytes[0] >> 4 !== 2) return { errors: ['The version of the protocol is not known'] }
  if ((bytes[0] & 0x0f) !== EVENT)
    return { data: {}, warnings: ['A message about the device, nothing was measured'] }
  if (bytes.length < 45) return { errors: ['The message is too short'] }
  const data = { trigger_cause: TRIGGERS[bytes[1]] || 'condition' }
  let at = 2
  for (const what of ['velocity', 'vibration']) {
    for (const axis of ['x', 'y', 'z']) {
      data[`${what}_${axis}_min`] = s16(bytes, at) / 100
      data[`${what}_${axis}_max`] = s16(bytes, at + 2) / 100
      data[`${what}_${axis}_mean`] = s16(bytes, at + 4) / 100
      at += 6
    }
  }
  data.temperature_min = s16(bytes, at) / 100
  data.temperature_max = s16(bytes, at + 2) / 100
  data.temperature = s16(bytes, at + 4) / 100
  data.conditions = bytes[at + 6]
  return { data }
}
