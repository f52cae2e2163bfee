// Vega SGVE: water meter. Port 2, little-endian.
// 0 kind 1 | 1 battery | 2 temperature | 3 magnet | 4 lamp locked | 5-8 time | 9 leak | 10 burst | 11-14 volume in 0.1 litres

const u32 = (b, at) => (b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)) >>> 0

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort === 3 || input.fPort === 4)
    return { data: {}, warnings: ['A message about the device, nothing was measured'] }
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes[0] !== 1) return { data: {}, warnings: ['A message about the device, nothing was measured'] }
  if (bytes.length < 15) return { errors: ['The message is too short'] }
  return {
    data: {
      time: new Date(u32(bytes, 5) * 1000).toISOString(),
      battery: bytes[1],
      internal_temperature: (bytes[2] << 24) >> 24,
      tamper: bytes[3] !== 0,
      water_leak: bytes[9] !== 0,
      burst_alarm: bytes[10] !== 0,
      volume: u32(bytes, 11) / 10000,
    },
  }
}
