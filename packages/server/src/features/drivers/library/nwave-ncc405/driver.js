// Nwave NCC405: vehicle counter. Port 1 count, 2 once in a while, 3 after a start; big-endian.
// Port 1: count | port 2: 0 states, 1 battery | port 3: firmware (3 bytes), reason of the start

const RESTARTS = { 1: 'watchdog', 2: 'power_on', 3: 'system_request' }

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 2) return { errors: ['The message is too short'] }
  switch (input.fPort) {
    case 1:
      return { data: { count: (bytes[0] << 8) | bytes[1] } }
    case 2:
      // Steps of 4 mV above 2.5 V.
      return { data: { battery_voltage: (2500 + bytes[1] * 4) / 1000 } }
    case 3:
      if (bytes.length < 4) return { errors: ['The message is too short'] }
      return {
        data: { firmware_version: bytes.slice(0, 3).join('.'), restart_cause: RESTARTS[bytes[3]] || 'other' },
      }
    default:
      return { errors: [`Port ${input.fPort} is not known`] }
  }
}
