// Dragino CPL01: contact and pulses. Port 2, big-endian; port 4 carries settings.
// 0 states | 1-3 pulses | 4-6 duration of the last one in minutes | 7-10 time

const u24 = (b, at) => (b[at] << 16) | (b[at + 1] << 8) | b[at + 2]
const u32 = (b, at) => ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort === 4) return { data: {}, warnings: ['A reply to a setting, nothing was measured'] }
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 11) return { errors: ['The message is too short'] }
  return {
    data: {
      time: new Date(u32(bytes, 7) * 1000).toISOString(),
      contact_closed: (bytes[0] & 0x01) !== 0,
      alarm: (bytes[0] & 0x02) !== 0,
      pulse_count: u24(bytes, 1),
      open_duration: u24(bytes, 4),
    },
  }
}
