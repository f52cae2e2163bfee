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

function decodeUplink(input) {
  const bytes = input.bytes
  if (bytes.length < 5) return { errors: ['The message is too short'] }
  if (bytes[0] !== 2) return { errors: [`Version ${bytes[0]} of the protocol is not known`] }
  function word(at) {
    return (bytes[at] << 8) | bytes[at + 1]
  }
  const flags = word(3)
  const data = {}
  let at = 5
  for (let group = 0; group < GROUPS.length; group++) {
    if (!(flags & (1 << group))) continue
    const words = []
    for (let i = 0; i < GROUPS[group].words; i++, at += 2) words.push(word(at))
    if (at > bytes.length) return { errors: ['The message is shorter than it says'] }
    Object.assign(data, GROUPS[group].read(words))
  }
  return { data }
}
