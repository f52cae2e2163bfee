// Decentlab DL-TRS12: soil moisture, temperature and conductivity (TEROS 12).
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// After the maker of the probe, from its raw value.
const moisture = (raw) => 100 * (3.879e-4 * raw - 0.6956)
const permittivity = (raw) => (2.887e-9 * raw ** 3 - 2.08e-5 * raw ** 2 + 5.276e-2 * raw - 43.39) ** 2

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  {
    words: 3,
    read: (x) => ({
      dielectric_permittivity: permittivity(x[0] / 10),
      soil_moisture: moisture(x[0] / 10),
      soil_temperature: (x[1] - 32768) / 10,
      soil_conductivity: x[2],
    }),
  },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
