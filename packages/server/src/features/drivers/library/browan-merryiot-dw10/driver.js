// Browan MerryIoT DW10: door and window contact. Port 120.
// 0 events | 1 battery | 2 temperature | 3 humidity | 4-5 minutes since the last change | 6-8 openings, little-endian

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 120) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 9) return { errors: ['The message is too short'] }
  return {
    data: {
      open: (bytes[0] & 0x01) !== 0,
      button_pressed: (bytes[0] & 0x02) !== 0,
      tamper: (bytes[0] & 0x04) !== 0,
      tilted: (bytes[0] & 0x08) !== 0,
      // 2.1 V and 0.1 V for each step.
      battery_voltage: (21 + (bytes[1] & 0x0f)) / 10,
      temperature: (bytes[2] << 24) >> 24,
      humidity: bytes[3] & 0x7f,
      minutes_since_change: bytes[4] | (bytes[5] << 8),
      open_count: bytes[6] | (bytes[7] << 8) | (bytes[8] << 16),
    },
  }
}
