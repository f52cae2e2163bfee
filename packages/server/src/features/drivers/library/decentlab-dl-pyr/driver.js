// Decentlab DL-PYR: solar radiation.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  { words: 1, read: (x) => ({ solar_radiation: ((x[0] - 32768) / 32768) * 15000 }) },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
