// Decentlab DL-CWS: winter service: road surface and air.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 6,
    read: (x) => ({
      surface_temperature: (x[0] - 32768) / 100,
      temperature: (x[1] - 32768) / 100,
      humidity: (x[2] - 32768) / 100,
      dew_point: (x[3] - 32768) / 100,
      angle: x[4] - 32768,
      sensor_temperature: (x[5] - 32768) / 100,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
