// Dragino LDDS75: ultrasonic distance. Port 2, big-endian.
// 0-1 battery | 2-3 distance in mm | 4 interrupt | 5-6 probe temperature | 7 sensor found

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 4) return { errors: ['The message is too short'] }
  const data = { battery_voltage: (((bytes[0] & 0x3f) << 8) | bytes[1]) / 1000 }
  const warnings = []
  const distance = (bytes[2] << 8) | bytes[3]
  // Two distances are reports of their own: 0 without a sensor, 20 when the object is nearer than 280 mm.
  if (distance === 0) warnings.push('No ultrasonic sensor')
  else if (distance === 20) warnings.push('The object is too near')
  else data.distance = distance
  if (bytes.length >= 8) {
    data.interrupt = bytes[4] === 1
    // Without a probe the device sends 0, so exactly 0.0 °C cannot be told from that.
    const temperature = ((bytes[5] << 24) >> 16) | bytes[6]
    if (temperature !== 0) data.external_temperature = temperature / 10
    if (bytes[7] === 0) warnings.push('The ultrasonic sensor was not found')
  }
  return { data, warnings }
}
