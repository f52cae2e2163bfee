// Browan MerryIoT CD10: CO2, temperature, humidity. Port 127.
// 0 events | 1 battery | 2 temperature | 3 humidity | 4-5 CO2, little-endian

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 127) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 6) return { errors: ['The message is too short'] }
  return {
    data: {
      // 2.1 V and 0.1 V for each step.
      battery_voltage: (21 + (bytes[1] & 0x0f)) / 10,
      temperature: (bytes[2] << 24) >> 24,
      humidity: bytes[3] & 0x7f,
      co2: bytes[4] | (bytes[5] << 8),
      button_pressed: (bytes[0] & 0x02) !== 0,
      co2_alarm: (bytes[0] & 0x10) !== 0,
      calibrating: (bytes[0] & 0x20) !== 0,
    },
  }
}
