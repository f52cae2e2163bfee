// Decentlab DL-GMM: greenhouse: climate, CO₂ and radiation.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 7,
    read: (x) => ({
      light_quantum: (x[0] - 32768) / 10,
      temperature: (x[1] - 32768) / 100,
      humidity: (x[2] - 32768) / 10,
      co2: x[3] - 32768,
      pressure: (x[4] - 32768) / 10,
      vapor_pressure_deficit: (x[5] - 32768) / 100,
      dew_point: (x[6] - 32768) / 100,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
