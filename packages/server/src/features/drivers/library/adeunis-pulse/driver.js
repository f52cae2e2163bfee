// Adeunis PULSE: two pulse inputs for water, gas or electricity meters. Port 1, big-endian.
// 0 kind of message | 1 status | then for kind 0x46 (periodic) two counters of 4 bytes

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 2) return { errors: ['The message is too short'] }
  function u32(at) {
    return ((bytes[at] << 8) | bytes[at + 1]) * 65536 + ((bytes[at + 2] << 8) | bytes[at + 3])
  }
  const data = {
    battery_low: (bytes[1] & 0x02) !== 0,
    hardware_error: (bytes[1] & 0x04) !== 0,
  }
  switch (bytes[0]) {
    case 0x46:
      if (bytes.length < 10) return { errors: ['The message is too short'] }
      data.pulse_count = u32(2)
      data.pulse_count_2 = u32(6)
      return { data }
    // Settings, the daily sign of life, alarms and replies carry the status, and nothing that is measured.
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x20:
    case 0x30:
    case 0x33:
    case 0x47:
      return { data }
    default:
      return { errors: [`Messages of kind 0x${bytes[0].toString(16)} are not known`] }
  }
}
