// Decentlab DL-ATM41: weather station with rain, wind, radiation and lightning.

const GROUPS = [
  {
    words: 17,
    // Values are shifted by 32768, so that they can be negative.
    read: (x, d) => {
      function at(index) {
        return x[index] - 32768
      }
      d.solar_radiation = at(0)
      d.rain = at(1) / 1000
      d.lightning_count = at(2)
      d.lightning_distance = at(3)
      d.wind_speed = at(4) / 100
      d.wind_direction = at(5) / 10
      d.wind_gust = at(6) / 100
      d.temperature = at(7) / 10
      d.vapor_pressure = at(8) / 100
      d.pressure = at(9) / 10
      d.humidity = at(10) / 10
      d.internal_temperature = at(11) / 10
      d.tilt_x = at(12) / 10
      d.tilt_y = at(13) / 10
      d.compass_heading = at(14)
      d.wind_speed_north = at(15) / 100
      d.wind_speed_east = at(16) / 100
    },
  },
  { words: 1, read: (x, d) => (d.battery_voltage = x[0] / 1000) },
]

// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 5) return { errors: ['The message is too short'] }
  if (bytes[0] !== 2) return { errors: [`Version ${bytes[0]} of the protocol is not known`] }
  function word(at) {
    return (bytes[at] << 8) | bytes[at + 1]
  }
  const flags = word(3)
  const data = {}
  let at = 5
  for (let group = 0; group < GROUPS.length; group++) {
    if (!(flags & (1 << group))) continue
    const words = []
    for (let i = 0; i < GROUPS[group].words; i++, at += 2) words.push(word(at))
    if (at > bytes.length) return { errors: ['The message is shorter than it says'] }
    GROUPS[group].read(words, data)
  }
  return { data }
}
