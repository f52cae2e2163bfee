// MClimate Button: regular message 0x01, behind replies to commands if there are any; big-endian.
// 0 kind | 1 battery | 2 bit 2: no thermistor, lowest bits and 3 temperature | 4 how often it was pressed

function decodeUplink(input) {
  const whole = input.bytes
  const bytes = whole[0] === 0x01 ? whole : whole.slice(-5)
  if (bytes[0] !== 0x01) return { data: {}, warnings: ['A reply to a command, nothing was measured'] }
  if (bytes.length < 5) return { errors: ['The message is too short'] }
  const data = {
    // Steps of 8 mV above 1.6 V.
    battery_voltage: (bytes[1] * 8 + 1600) / 1000,
    button_pressed: bytes[4] !== 0,
    press_count: bytes[4],
  }
  if ((bytes[2] & 0x04) === 0) data.temperature = (((bytes[2] & 0x03) << 8) | bytes[3]) / 10
  return { data }
}
