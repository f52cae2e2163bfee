// Netvox RA0716: fine dust with temperature and humidity. Port 6, big-endian.
// 0 version | 1 device type | 2 kind of report | 3 battery | 4-5 temperature | 6-7 humidity | 8-9 PM2.5

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort === 7) return { data: {}, warnings: ['A reply to a setting, nothing was measured'] }
  if (input.fPort !== 6) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 10) return { errors: ['The message is too short'] }
  if (bytes[1] !== 0x35) return { errors: [`This is another device, type 0x${bytes[1].toString(16)}`] }
  if (bytes[2] === 0) return { data: { firmware_version: bytes[3] / 10, hardware_version: bytes[4] } }
  function u16(at) {
    return (bytes[at] << 8) | bytes[at + 1]
  }
  return {
    data: {
      battery_voltage: (bytes[3] & 0x7f) / 10,
      battery_low: (bytes[3] & 0x80) !== 0,
      temperature: ((u16(4) << 16) >> 16) / 100,
      humidity: u16(6) / 100,
      pm2_5: u16(8),
    },
  }
}
