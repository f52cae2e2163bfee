// AQUASCOPE AQS: leak protection. Port 1: commands one behind the other, big-endian, each with its own length.
// Only the valve (0x07) and the version of the hardware (0x03) stand in published packets. Sensor values (0x06), settings
// (0x04) and alarms (0x0b) are passed over: their units are not published.

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

const VALVE_CLOSED = 0x00
const CONSUMPTION = 0x01
const PIPE_ALARM = 0x03
const FLOW_STARTED = 0x0f
const VALVE_OPENED = 0xff

// The states 2 to 8 tell how a check of the pipe went. An alarm of it and the end of a flow have two words behind.
function readState(data, bytes, at) {
  const state = bytes[at]
  if (state === VALVE_CLOSED) data.valve_open = false
  else if (state === VALVE_OPENED) data.valve_open = true
  else if (state === FLOW_STARTED) data.flow_detected = true
  else if (state === CONSUMPTION) data.flow_detected = false
  return state === CONSUMPTION || state === PIPE_ALARM ? 5 : 1
}

// Length of what follows a command.
const PASSED_OVER = { 4: 3, 6: 3, 11: 4 }

function readCommand(data, bytes, at) {
  switch (bytes[at]) {
    case 0x03:
      data.hardware_version = bytes[at + 1]
      data.capabilities = u16(bytes, at + 2)
      return 3
    case 0x07:
      return readState(data, bytes, at + 1)
    case 0x0a:
      data.firmware_version = u16(bytes, at + 1) * 65536 + u16(bytes, at + 3)
      return 4
    default:
      return PASSED_OVER[bytes[at]]
  }
}

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 1) return { errors: [`Port ${input.fPort} is not known`] }
  const data = {}
  for (let at = 0; at < bytes.length; ) {
    const read = {}
    const length = readCommand(read, bytes, at)
    if (length === undefined || at + 1 + length > bytes.length) {
      if (at === 0) return { errors: ['The message cannot be read'] }
      return { data, warnings: ['A value of this message cannot be read, nor what follows it'] }
    }
    Object.assign(data, read)
    at += 1 + length
  }
  return { data }
}
