// Browan TBWL100: water leak with temperature and humidity. Port 106.
// 0 status | 1 battery | 2 temperature of the board | 3 humidity | 4 temperature of the air

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 106) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 5) return { errors: ['The message is too short'] }
  return {
    data: {
      water_leak: (bytes[0] & 0x01) !== 0,
      // 2.5 V and 0.1 V for each step.
      battery_voltage: (25 + (bytes[1] & 0x0f)) / 10,
      internal_temperature: (bytes[2] & 0x7f) - 32,
      humidity: bytes[3] & 0x7f,
      temperature: (bytes[4] & 0x7f) - 32,
    },
  }
}
