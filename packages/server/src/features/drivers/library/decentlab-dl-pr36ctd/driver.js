// Decentlab DL-PR36CTD: level by pressure with conductivity.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// Steps of one bar, as on the label of the probe; another number has to be entered here.
const STEPS = 8192

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 4,
    read: (x) => ({
      gauge_pressure: (x[0] - 32768) / STEPS,
      electronics_temperature: (x[1] - 32768) / 256,
      water_temperature: (x[2] - 32768) / 256,
      water_conductivity: ((x[3] - 32768) / 1024) * 1000,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
