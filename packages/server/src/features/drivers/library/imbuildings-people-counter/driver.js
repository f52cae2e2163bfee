// IMBuildings People Counter: type 2, variant 6, big-endian; counter A is taken for in.
// 0 type | 1 variant | 2-9 DevEUI | 10 state | 11-12 battery | 13-14 A, 15-16 B since the last message | 17 state of the sensor
// 18-19 A, 20-21 B in total | 22 number of the message

const u16 = (b, at) => (b[at] << 8) | b[at + 1]

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes[0] !== 2) return { errors: ['This is no message of a people counter'] }
  if (bytes[1] !== 6) return { errors: [`Variant ${bytes[1]} of the message is not known`] }
  if (bytes.length < 23) return { errors: ['The message is too short'] }
  return {
    data: {
      battery_voltage: u16(bytes, 11) / 100,
      people_in: u16(bytes, 13),
      people_out: u16(bytes, 15),
      status_code: bytes[17],
      people_in_total: u16(bytes, 18),
      people_out_total: u16(bytes, 20),
      message_count: bytes[22],
    },
  }
}
