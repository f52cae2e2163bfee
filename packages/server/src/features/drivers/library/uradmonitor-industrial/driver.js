// uRADMonitor INDUSTRIAL: air quality. Big-endian.
// 0-9 device, versions, time | 10-19 position | 20-21 temperature | 22-23 pressure | 24 humidity | 25-27 gas resistance
// 28 noise | four gases, each what it is and 3 bytes | 45 what PM1 is below PM2.5 | 46-47 PM2.5 | 48 what PM10 is above it

// Thousandths of a part in a million, by what the sensor of the gas is.
const GASES = {
  4: 'carbon_monoxide',
  42: 'ozone_ppm',
  43: 'sulfur_dioxide',
  44: 'nitrogen_dioxide',
}

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 49) return { errors: ['The message is too short'] }
  if (bytes[0] !== 0x14) return { errors: ['This is another device'] }
  const u16 = (at) => (bytes[at] << 8) | bytes[at + 1]
  const u24 = (at) => (bytes[at] << 16) | u16(at + 1)
  const data = {
    temperature: ((u16(20) << 16) >> 16) / 100,
    // Pascal above 65535.
    pressure: (u16(22) + 65535) / 100,
    humidity: bytes[24] / 2,
    gas_resistance: u24(25),
    sound_level: bytes[28] / 2,
  }
  for (let at = 29; at < 45; at += 4) {
    const gas = GASES[bytes[at]]
    if (gas !== undefined) data[gas] = u24(at + 1) / 1000
  }
  data.pm1 = u16(46) - bytes[45]
  data.pm2_5 = u16(46)
  data.pm10 = u16(46) + bytes[48]
  return { data }
}
