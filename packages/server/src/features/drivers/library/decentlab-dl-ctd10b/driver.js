// Decentlab DL-CTD10B: water depth, temperature and conductivity (CTD-10, double range).
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 4,
    read: (x) => ({
      water_depth: x[0] - 32768,
      water_temperature: (x[1] - 32768) / 10,
      water_conductivity: x[2] * 2,
      frozen: x[3] !== 0,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
