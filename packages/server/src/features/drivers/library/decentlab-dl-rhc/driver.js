// Decentlab DL-RHC: temperature and humidity, calibrated.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 4,
    read: (x) => ({
      sensor_number: x[0] + x[1] * 65536,
      humidity: x[2] / 100,
      temperature: (x[3] - 32768) / 100,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
