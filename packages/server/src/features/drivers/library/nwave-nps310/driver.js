// Nwave NPS310SM: parking space. Port 1 on a change, port 2 once in a while, port 3 after a start.
// Ports 1 and 2: bit 0 of the first byte | port 3: firmware (3 bytes), reason of the start, bit 0 of the last byte

const RESTARTS = { 1: 'watchdog', 2: 'power_on', 3: 'system_request' }

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 1) return { errors: ['The message is empty'] }
  switch (input.fPort) {
    case 1:
    case 2:
      return { data: { occupied: (bytes[0] & 0x01) !== 0 } }
    case 3:
      if (bytes.length < 5) return { errors: ['The message is too short'] }
      return {
        data: {
          firmware_version: bytes.slice(0, 3).join('.'),
          restart_cause: RESTARTS[bytes[3]] || 'other',
          occupied: (bytes[4] & 0x01) !== 0,
        },
      }
    default:
      return { errors: [`Port ${input.fPort} is not known`] }
  }
}
