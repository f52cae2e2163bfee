// Bosch TPL110 parking lot sensor. Port 1 on a change, port 2 every day, port 3 after a start.
// Ports 1 and 2: bit 0 of the first byte, on port 2 then the temperature
// Port 3: 12 bytes for the maker | firmware (3) | reason of the start | bit 0 of the last byte

const RESTARTS = { 1: 'watchdog', 2: 'power_on', 3: 'system_request' }

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 1) return { errors: ['The message is empty'] }
  const occupied = (bytes[0] & 0x01) !== 0
  switch (input.fPort) {
    case 1:
      return { data: { occupied } }
    case 2:
      if (bytes.length < 2) return { data: { occupied } }
      return { data: { occupied, temperature: (bytes[1] << 24) >> 24 } }
    case 3:
      if (bytes.length < 17) return { errors: ['The message is too short'] }
      return {
        data: {
          firmware_version: bytes.slice(12, 15).join('.'),
          restart_cause: RESTARTS[bytes[15]] || 'other',
          occupied: (bytes[16] & 0x01) !== 0,
        },
      }
    default:
      return { errors: [`Port ${input.fPort} is not used for measurements`] }
  }
}
