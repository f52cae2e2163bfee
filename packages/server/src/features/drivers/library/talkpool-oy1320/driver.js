// Talkpool OY1320: reader for meters with a pulse output. Port 2, big-endian.
// 0-1 kind | 2-5 reading.

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 2) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 6) return { errors: ['The message is too short'] }
  return { data: { pulse_count: ((bytes[2] << 24) | (bytes[3] << 16) | (bytes[4] << 8) | bytes[5]) >>> 0 } }
}
