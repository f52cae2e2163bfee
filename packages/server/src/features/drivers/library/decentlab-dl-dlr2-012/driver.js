// Decentlab DL-DLR2-012: strain gauge in a quarter bridge.
// 0 version | 1-2 device number | 3-4 which groups of values follow | then words of 16 bits, big-endian

// A bridge of resistors measured with 24 bits.
const ratio = (low, high) => (low + high * 65536) / 8388608 - 1
// Gain of the bridge, and the factor on the package of the gauge; another one has to be entered here.
const GAIN = 64
const GAUGE_FACTOR = 2.02

// What follows for each flag: number of words, and what they (x) mean. 32768 stands for zero where values have a sign.
const GROUPS = [
  { words: 2, read: (x) => ({ strain: ((ratio(x[0], x[1]) / GAIN) * 4 * 1e6) / GAUGE_FACTOR }) },
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
