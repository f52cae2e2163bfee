// Decentlab DL-PR21: pressure of liquids and gases; range −1 to 10 bar.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// Range of the probe in bar, as on its label; another one has to be entered here.
const RANGE = { from: -1, to: 10 }

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 2,
    read: (x) => ({
      gauge_pressure: ((x[0] - 16384) / 32768) * (RANGE.to - RANGE.from) + RANGE.from,
      water_temperature: (x[1] / 16 - 24) * 0.05 - 50,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
