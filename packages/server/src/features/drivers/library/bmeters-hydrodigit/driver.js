// B METERS HYDRODIGIT: water meter. Litres, low byte first.
// 0 code 0x45 | 1-3 count | 4 highest digits: upper half of the count, lower half of the reverse flow | 5-7 reverse flow
// 8 alarms | 9-10 temperature, high byte first, if it is sent

const u24 = (b, at) => b[at] | (b[at + 1] << 8) | (b[at + 2] << 16)

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes[0] !== 0x45) return { errors: ['This is no message of a HYDRODIGIT'] }
  if (bytes.length < 9) return { errors: ['The message is too short'] }
  const alarms = bytes[8]
  const data = {
    volume: (u24(bytes, 1) + (bytes[4] >> 4) * 0x1000000) / 1000,
    volume_reverse: (u24(bytes, 5) + (bytes[4] & 0x0f) * 0x1000000) / 1000,
    water_leak: (alarms & 0x01) !== 0,
    install_ok: (alarms & 0x02) === 0,
    overflow_alarm: (alarms & 0x04) !== 0,
    burst_alarm: (alarms & 0x08) !== 0,
    reverse_flow_alarm: (alarms & 0x10) !== 0,
    battery_low: (alarms & 0x20) !== 0,
  }
  if (bytes.length >= 11) data.water_temperature = ((((bytes[9] << 8) | bytes[10]) << 16) >> 16) / 10
  return { data }
}
