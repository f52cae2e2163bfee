// Decentlab DL-NTU: turbidity of water.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 5,
    read: (x) => ({
      status_code: x[0],
      water_temperature: (x[1] - 32768) / 100,
      turbidity: x[2] / 10,
      turbidity_fnu: x[3] / 10,
      turbidity_mass: x[4] / 10,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
