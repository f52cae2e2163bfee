// TEKTELIC KONA Industrial Transceiver: a sequence of channel, type and value, big-endian, on port 10.

const s16 = (b, at) => (((b[at] << 8) | b[at + 1]) << 16) >> 16
const u16 = (b, at) => (b[at] << 8) | b[at + 1]

// Channel and type: length of the value, and the variables (d) that the bytes (b) from a place (at) on mean.
const VALUES = {
  255: [2, (d, b, at) => (d.battery_voltage = s16(b, at) / 100)],
  // 0x00: open, 0xff: closed.
  257: [1, (d, b, at) => (d.output_on = b[at] !== 0)],
  513: [1, (d, b, at) => (d.output_on_2 = b[at] !== 0)],
  871: [2, (d, b, at) => (d.temperature = s16(b, at) / 10)],
  1128: [1, (d, b, at) => (d.humidity = b[at] / 2)],
  1280: [1, (d, b, at) => (d.external_input = b[at] !== 0)],
  // Microampere.
  1538: [2, (d, b, at) => (d.loop_current = u16(b, at) / 1000)],
  1794: [2, (d, b, at) => (d.analog_voltage = u16(b, at) / 1000)],
  2052: [2, (d, b, at) => (d.external_count = u16(b, at))],
  2407: [2, (d, b, at) => (d.internal_temperature = s16(b, at) / 10)],
}
