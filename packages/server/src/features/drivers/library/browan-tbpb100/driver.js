// Browan TBPB100: push button. Port 147.
// 0 status | 1 battery | 2 temperature of the board | 3-7 time and count

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 147) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 3) return { errors: ['The message is too short'] }
  return {
    data: {
      button_pressed: (bytes[0] & 0x01) !== 0,
      // 2.5 V and 0.1 V for each step.
      battery_voltage: (25 + (bytes[1] & 0x0f)) / 10,
      internal_temperature: (bytes[2] & 0x7f) - 32,
    },
  }
}
