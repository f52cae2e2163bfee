// STMicroelectronics NUCLEO-WL55JC: the example of an end node. Port 2, big-endian.
// 0 lamp | 1-2 pressure | 3 temperature | 4-5 humidity | 6 level of the battery | then a position that is not measured

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 7) return { errors: ['The message is too short'] }
  const data = {
    output_on: (bytes[0] & 1) !== 0,
    pressure: ((bytes[1] << 8) | bytes[2]) / 10,
    temperature: (bytes[3] << 24) >> 24,
    humidity: ((bytes[4] << 8) | bytes[5]) / 10,
  }
  // As in LoRaWAN: 1 (1.8 V) to 254 (3 V); 0 is supply from outside, 255 not known.
  if (bytes[6] > 0 && bytes[6] < 255) data.battery_voltage = 1.8 + (bytes[6] / 254) * 1.2
  return { data }
}
