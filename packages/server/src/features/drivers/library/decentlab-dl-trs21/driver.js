// Decentlab DL-TRS21: water potential and temperature of the soil (TEROS 21).
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  { words: 2, read: (x) => ({ water_potential: -x[0] / 10, soil_temperature: (x[1] - 32768) / 10 }) },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
