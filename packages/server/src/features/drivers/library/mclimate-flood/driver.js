// MClimate flood sensor: regular message.
// 0 reason, bit 3 tamper, bit 1 water | 1 battery | 2 temperature, bit 7: below zero

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 2) return { errors: ['The message is too short'] }
  const data = {
    water_leak: (bytes[0] & 0x02) !== 0,
    tamper: (bytes[0] & 0x08) !== 0,
    // Steps of 16 mV.
    battery_voltage: (bytes[1] * 16) / 1000,
  }
  if (bytes.length > 2) data.temperature = bytes[2] & 0x80 ? -(bytes[2] & 0x7f) : bytes[2]
  return { data }
}
