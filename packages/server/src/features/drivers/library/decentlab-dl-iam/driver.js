// Decentlab DL-IAM: indoor air with CO2, volatile compounds, light and presence.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean.
const GROUPS = [
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
  {
    words: 2,
    read: (x) => ({ temperature: (175 * x[0]) / 65535 - 45, humidity: (100 * x[1]) / 65535 }),
  },
  // Steps of 2 Pa.
  { words: 1, read: (x) => ({ pressure: (x[0] * 2) / 100 }) },
  {
    words: 2,
    read: (x) => ({
      light_visible_infrared: x[0],
      light_infrared: x[1],
      illuminance: Math.max(x[0] - 1.64 * x[1], 0.59 * x[0] - 0.86 * x[1], 0) * 1.5504,
    }),
  },
  { words: 3, read: (x) => ({ co2: x[0] - 32768, co2_sensor_status: x[1] }) },
  { words: 1, read: (x) => ({ motion_count: x[0] }) },
  { words: 1, read: (x) => ({ tvoc: x[0] }) },
]
