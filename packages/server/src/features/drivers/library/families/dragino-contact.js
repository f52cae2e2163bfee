// What Dragino's contacts have in common: port 2, big-endian; port 4 carries settings.
// 0 states | 1-3 how often | 4-6 duration of the last opening in minutes | 7-10 time
// A driver says in STATE and COUNT what its contact is called.

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort === 4) return { data: {}, warnings: ['A reply to a setting, nothing was measured'] }
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 11) return { errors: ['The message is too short'] }
  function u24(at) {
    return (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2]
  }
  const data = {
    time: new Date((u24(7) * 256 + bytes[10]) * 1000).toISOString(),
    alarm: (bytes[0] & 0x02) !== 0,
    open_duration: u24(4),
  }
  data[STATE] = (bytes[0] & 0x01) !== 0
  data[COUNT] = u24(1)
  return { data }
}
