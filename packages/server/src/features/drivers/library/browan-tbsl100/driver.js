// Browan TBSL100: sound level. Port 105.
// 0 status | 1 battery | 2 temperature of the board | 3 sound level

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 105) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 4) return { errors: ['The message is too short'] }
  return {
    data: {
      sound_alarm: (bytes[0] & 0x01) !== 0,
      // 2.5 V and 0.1 V for each step.
      battery_voltage: (25 + (bytes[1] & 0x0f)) / 10,
      internal_temperature: (bytes[2] & 0x7f) - 32,
      sound_level: bytes[3],
    },
  }
}
