// Dragino LSE01: soil moisture, temperature and conductivity. Port 2, big-endian.
// 0-1 battery | 2-3 probe temperature | 4-5 moisture | 6-7 soil temperature | 8-9 conductivity | 10 flags

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 11) return { errors: ['The message is too short'] }
  function unsigned(at) {
    return (bytes[at] << 8) | bytes[at + 1]
  }
  function signed(at) {
    return ((bytes[at] << 24) >> 16) | bytes[at + 1]
  }
  const data = {
    battery_voltage: (unsigned(0) & 0x3fff) / 1000,
    soil_moisture: unsigned(4) / 100,
    soil_temperature: signed(6) / 100,
    soil_conductivity: unsigned(8),
  }
  // Without a probe the device sends 0, so exactly 0.0 °C cannot be told from that.
  if (signed(2) !== 0) data.external_temperature = signed(2) / 10
  return { data }
}
