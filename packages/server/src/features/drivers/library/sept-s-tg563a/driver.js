// SEPT-S TG563A: smoke detector. Port 1, low byte first.
// 0 kind | 1 settings | 2 temperature | 3-4 state | with kind 15: 5 battery | 6-9 serial number | dates and times
// 22 smoke alarms | more counters | 32, 33 lowest and highest temperature

const s8 = (b, at) => (b[at] << 24) >> 24
const WITH_MORE = 0x0f
const OBSTRUCTED = 0x30
const FAILED = 0x74

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 5) return { errors: ['The message is too short'] }
  const data = {
    temperature: s8(bytes, 2),
    install_ok: (bytes[3] & 0x01) !== 0,
    obstructed: (bytes[3] & OBSTRUCTED) !== 0,
    smoke_alarm: (bytes[4] & 0x01) !== 0,
    battery_low: (bytes[4] & 0x02) !== 0,
    soiled: (bytes[4] & 0x08) !== 0,
    hardware_error: (bytes[4] & FAILED) !== 0,
  }
  if (bytes[0] === WITH_MORE && bytes.length >= 34) {
    data.battery_voltage = bytes[5] / 100 + 1
    const digits = bytes.slice(6, 10).reverse()
    data.serial_number = digits.map((byte) => (byte < 16 ? '0' : '') + byte.toString(16)).join('')
    data.smoke_alarm_count = bytes[22]
    data.temperature_min = s8(bytes, 32)
    data.temperature_max = s8(bytes, 33)
  }
  return { data }
}
