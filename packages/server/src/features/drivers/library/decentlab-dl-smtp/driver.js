// Decentlab DL-SMTP: soil profile: moisture index and temperature in eight depths.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// A depth without a probe sends zeros.
function levels(x) {
  const found = {}
  for (let depth = 1; depth <= 8; depth++) {
    const [moisture, temperature] = x.slice(2 * depth - 2)
    if (moisture === 0 && temperature === 0) continue
    found[`soil_moisture_index_${depth}`] = (moisture - 2500) / 500
    found[`soil_temperature_${depth}`] = (temperature - 32768) / 100
  }
  return found
}

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  { words: 16, read: levels },
  { words: 1, read: (x) => ({ battery_voltage: x[0] / 1000 }) },
]
