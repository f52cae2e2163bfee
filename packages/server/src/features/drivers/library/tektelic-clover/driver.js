// TEKTELIC Clover and Kiwi: a sequence of channel, type and value, big-endian, on port 10.

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u16 = (b, at) => (b[at] << 8) | b[at + 1]

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean. What the
// probes of the soil tell has to be calibrated for the soil, so that it is kept as it comes.
const VALUES = {
  260: [2, (d, b, at) => (d.soil_input_frequency = u16(b, at))],
  514: [2, (d, b, at) => (d.soil_input_voltage = s16(b, at))],
  770: [2, (d, b, at) => (d.soil_input_voltage_3 = s16(b, at))],
  1026: [2, (d, b, at) => (d.soil_input_voltage_4 = s16(b, at))],
  1284: [2, (d, b, at) => (d.watermark_frequency = u16(b, at))],
  1540: [2, (d, b, at) => (d.watermark_frequency_2 = u16(b, at))],
  2405: [2, (d, b, at) => (d.illuminance = u16(b, at))],
  2919: [2, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  2920: [1, (d, b, at) => (d.humidity = b[at] / 2)],
  3175: [2, (d, b, at) => (d.internal_temperature = s16(b, at) / 10)],
}
