// Terabee LoRa Level Monitor XL: distance and fill level. Port 1, big-endian.
// 0-1 distance in mm | 2 level in percent | 3-4 battery in mV

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not used for measurements`] }
  if (bytes.length < 5) return { errors: ['The message is too short'] }
  return {
    data: {
      distance: (bytes[0] << 8) | bytes[1],
      fill_level: bytes[2],
      battery_voltage: ((bytes[3] << 8) | bytes[4]) / 1000,
    },
  }
}
