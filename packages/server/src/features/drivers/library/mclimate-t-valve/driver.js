// MClimate T-Valve: the short regular message.
// 0 water temperature in halves of a degree | 1 bit 7: open

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length !== 2) return { data: {}, warnings: ['A long message, which is not read'] }
  return { data: { water_temperature: bytes[0] / 2, valve_open: (bytes[1] & 0x80) !== 0 } }
}
