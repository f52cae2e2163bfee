// A 32 bit float of IEEE 754, high byte first; null where the bytes stand for no number.
function float(b, at) {
  const exponent = ((b[at] & 0x7f) << 1) | (b[at + 1] >> 7)
  const mantissa = ((b[at + 1] & 0x7f) << 16) | (b[at + 2] << 8) | b[at + 3]
  const sign = b[at] & 0x80 ? -1 : 1
  if (exponent === 0xff) return null
  return sign * (exponent === 0 ? mantissa * 2 ** -149 : (1 + mantissa / 8388608) * 2 ** (exponent - 127))
}
