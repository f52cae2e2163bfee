// uRADMonitor A3: air quality with fine dust, gases and noise. Port 1, big-endian.
// 0-3 number | 4 hardware | 5 firmware | 6-9 time | 10-11 temperature | 12-13 pressure | 14 humidity | 15-17 gas
// 18 noise | 19-20 CO2 | 21-22 formaldehyde | 23-24 ozone | 25-30 PM1, PM2.5, PM10 | 31 check sum

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 31) return { errors: ['The message is too short'] }
  function u16(at) {
    return (bytes[at] << 8) | bytes[at + 1]
  }
  return {
    data: {
      temperature: ((u16(10) << 16) >> 16) / 100,
      // Pascal above 65535.
      pressure: (u16(12) + 65535) / 100,
      humidity: bytes[14] / 2,
      gas_resistance: (bytes[15] << 16) | u16(16),
      sound_level: bytes[18] / 2,
      co2: u16(19),
      formaldehyde: u16(21),
      ozone: u16(23),
      pm1: u16(25),
      pm2_5: u16(27),
      pm10: u16(29),
    },
  }
}
