// AQUASCOPE KFR: remote control. Port 10, big-endian.
// 0x07: 0x00 off or 0xff on | 0x03: version of the hardware, capabilities

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 10) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes[0] === 0x07 && bytes.length > 1) return { data: { switch_on: bytes[1] !== 0 } }
  if (bytes[0] === 0x03 && bytes.length > 3) {
    return { data: { hardware_version: bytes[1], capabilities: (bytes[2] << 8) | bytes[3] } }
  }
  return { errors: ['The message cannot be read'] }
}
