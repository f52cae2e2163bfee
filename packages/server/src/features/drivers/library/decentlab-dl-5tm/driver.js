// Decentlab DL-5TM: soil moisture and temperature (5TM).
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// After Topp, 1980: volume of water in the soil, in percent.
const topp = (e) => 100 * (4.3e-6 * e ** 3 - 5.5e-4 * e ** 2 + 2.92e-2 * e - 5.3e-2)

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 2,
    read: (x) => ({
      dielectric_permittivity: x[0] / 50,
      soil_moisture: topp(x[0] / 50),
      soil_temperature: (x[1] - 400) / 10,
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
