// A sequence of channel, type and value, as several makers send it. A driver says in VALUES what each means.

function decodeUplink(input) {
  const bytes = input.bytes
  const data = {}
  const warnings = []
  let at = 0
  while (at + 1 < bytes.length) {
    const value = VALUES[(bytes[at] << 8) | bytes[at + 1]]
    if (value === undefined || at + 2 + value[0] > bytes.length) {
      warnings.push('A value of this message cannot be read, nor what follows it')
      break
    }
    if (value[1] !== undefined) value[1](data, bytes, at + 2)
    at += 2 + value[0]
  }
  if (Object.keys(data).length === 0 && warnings.length > 0) return { errors: warnings }
  return { data, warnings }
}
