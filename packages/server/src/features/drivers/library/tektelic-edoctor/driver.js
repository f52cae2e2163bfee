// TEKTELIC eDoctor: a patch on the body. Port 10.
// 0 battery | 1 body temperature | 2 breaths | 3 modes | 4 steps | 5 posture | 6 pulse | 7-8 more of temperature and pulse
// Shorter messages end after what they have.

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort === 100 || input.fPort === 101)
    return { data: {}, warnings: ['An answer about settings, nothing was measured'] }
  if (input.fPort !== 10) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 1) return { errors: ['The message is too short'] }
  // 1 % to 100 % in 255 steps with the first at 0.6087 %.
  const data = { battery: bytes[0] * 0.391304348 + 0.608695652 }
  if (bytes.length > 1) data.body_temperature = bytes[1] * 0.05 + 30
  if (bytes.length > 2) data.respiratory_rate = bytes[2]
  if (bytes.length > 6) data.heart_rate = bytes[6]
  return { data }
}
