// Decentlab DL-IAM: indoor air with CO2, volatile compounds, light and presence.

const GROUPS = [
  { words: 1, read: (x, d) => (d.battery_voltage = x[0] / 1000) },
  {
    words: 2,
    read: (x, d) => {
      d.temperature = (175 * x[0]) / 65535 - 45
      d.humidity = (100 * x[1]) / 65535
    },
  },
  // Steps of 2 Pa.
  { words: 1, read: (x, d) => (d.pressure = (x[0] * 2) / 100) },
  {
    words: 2,
    read: (x, d) => {
      d.light_visible_infrared = x[0]
      d.light_infrared = x[1]
      d.illuminance = Math.max(x[0] - 1.64 * x[1], 0.59 * x[0] - 0.86 * x[1], 0) * 1.5504
    },
  },
  {
    words: 3,
    read: (x, d) => {
      d.co2 = x[0] - 32768
      d.co2_sensor_status = x[1]
    },
  },
  { words: 1, read: (x, d) => (d.motion_count = x[0]) },
  { words: 1, read: (x, d) => (d.tvoc = x[0]) },
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
