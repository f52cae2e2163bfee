// Plenom kuando Busylight: answers to what it was sent. Port 15, little-endian.
// 0-3 level, 4-7 signal to noise of what was received | 8-11 messages received, 12-15 sent
// 16 red, 17 blue, 18 green | 19 on, 20 off, in 0.1 s | 21 version of the firmware, 22 of the hardware | 23 data rate by the network

const s32 = (b, at) => b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)

function decodeUplink(input) {
  const bytes = input.bytes
  if (input.fPort !== 15) return { errors: [`Port ${input.fPort} is not known`] }
  if (bytes.length < 24) return { errors: ['The message is too short'] }
  return {
    data: {
      downlink_rssi: s32(bytes, 0),
      downlink_snr: s32(bytes, 4),
      downlink_count: s32(bytes, 8) >>> 0,
      message_count: s32(bytes, 12) >>> 0,
      light_red: bytes[16],
      light_blue: bytes[17],
      light_green: bytes[18],
      light_on_time: bytes[19] / 10,
      light_off_time: bytes[20] / 10,
      firmware_version: bytes[21],
      hardware_version: bytes[22],
    },
  }
}
