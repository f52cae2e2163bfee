// Dragino LSPH01: pH and temperature of the soil. Port 2, big-endian.
// 0-1 battery | 2-3 probe | 4-5 and 6-7 values | 8 external pulse | 9- kind

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 9) return { errors: ['The message is too short'] }
  const data = {
    battery_voltage: (((bytes[0] & 0x3f) << 8) | bytes[1]) / 1000,
    ph: s16(bytes, 4) / 100,
    soil_temperature: s16(bytes, 6) / 10,
    interrupt: bytes[8] === 1,
  }
  // Without a probe the device sends 0, so exactly 0.0 °C cannot be told from that.
  if (s16(bytes, 2) !== 0) data.external_temperature = s16(bytes, 2) / 10
  return { data }
}
