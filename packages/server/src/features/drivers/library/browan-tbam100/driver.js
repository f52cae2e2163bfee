// Browan TBAM100: ambient light. Port 104.
// 0 status | 1 battery | 2 temperature of the board | 3-5 hundredths of a lux, little-endian

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 104) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 6) return { errors: ['The message is too short'] }
  return {
    data: {
      // It has become lighter.
      light_detected: (bytes[0] & 0x02) !== 0,
      // 2.5 V and 0.1 V for each step.
      battery_voltage: (25 + (bytes[1] & 0x0f)) / 10,
      internal_temperature: (bytes[2] & 0x7f) - 32,
      illuminance: (bytes[3] | (bytes[4] << 8) | (bytes[5] << 16)) / 100,
    },
  }
}
