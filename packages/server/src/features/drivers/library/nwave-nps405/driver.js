// Nwave NPS405: parking space. Port 1 on a change, 2 once in a while, 3 after a start, 10 with the tag of a user.
// Ports 1 and 10: bit 7 occupied | port 2: 0 occupied, 1 battery | port 3: firmware (3 bytes), reason of the start, occupied

const RESTARTS = { 1: 'watchdog', 2: 'power_on', 3: 'system_request' }

function hex(byte) {
  return (byte < 16 ? '0' : '') + byte.toString(16).toUpperCase()
}

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 1) return { errors: ['The message is empty'] }
  const occupied = (bytes[0] & 0x80) !== 0
  switch (input.fPort) {
    case 1:
      return { data: { occupied } }
    case 2:
      if (bytes.length < 2) return { errors: ['The message is too short'] }
      // Steps of 4 mV above 2.5 V.
      return { data: { occupied, battery_voltage: (2500 + bytes[1] * 4) / 1000 } }
    case 3:
      if (bytes.length < 5) return { errors: ['The message is too short'] }
      return {
        data: {
          firmware_version: bytes.slice(0, 3).join('.'),
          restart_cause: RESTARTS[bytes[3]] || 'other',
          occupied: (bytes[4] & 0x01) !== 0,
        },
      }
    case 10:
      if (bytes.length < 5) return { errors: ['The message is too short'] }
      return { data: { occupied, tag_id: bytes.slice(1, 5).map(hex).join('') } }
    default:
      return { errors: [`Port ${input.fPort} is not known`] }
  }
}
