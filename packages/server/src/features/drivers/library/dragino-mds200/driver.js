// Dragino LMDS200 and MDS200-LB: distance by radar. Port 2, big-endian.
// 0-1 battery | 2-3, 4-5 distances in mm | 6 number of alarms in the highest 6 bits, alarm, interrupt
// Port 3 recalls the log in records of 11 bytes with the time at the end.

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

function read(bytes, at) {
  return {
    battery_voltage: u16(bytes, at) / 1000,
    distance: u16(bytes, at + 2),
    distance_2: u16(bytes, at + 4),
    distance_alarm: (bytes[at + 6] & 0x02) !== 0,
    interrupt: (bytes[at + 6] & 0x01) !== 0,
  }
}

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort === 4 || input.fPort === 5)
    return { data: {}, warnings: ['A message about the device, nothing was measured'] }
  if (input.fPort !== 2 && input.fPort !== 3) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < (input.fPort === 2 ? 7 : 11)) return { errors: ['The message is too short'] }
  if (input.fPort === 2) {
    const data = read(bytes, 0)
    data.alarm_count = bytes[6] >> 2
    return { data }
  }
  const history = []
  for (let at = 0; at + 11 <= bytes.length; at += 11) {
    const entry = read(bytes, at)
    entry.time = new Date((u16(bytes, at + 7) * 65536 + u16(bytes, at + 9)) * 1000).toISOString()
    history.push(entry)
  }
  return { data: { history } }
}
