/** Hex dump in lines of 16 bytes: offset, pairs, and printable ASCII. */
export function hexLines(hex: string): { offset: string; bytes: string; ascii: string }[] {
  const bytes = hex.match(/[0-9a-f]{2}/gi) ?? []
  const lines: { offset: string; bytes: string; ascii: string }[] = []
  for (let start = 0; start < bytes.length; start += 16) {
    const line = bytes.slice(start, start + 16)
    lines.push({
      offset: start.toString(16).padStart(4, '0'),
      bytes: line.join(' ').toUpperCase(),
      ascii: line.some((pair) => printable(pair) !== unprintable) ? line.map(printable).join('') : '',
    })
  }
  return lines
}

const unprintable = '·'

function printable(pair: string): string {
  const code = Number.parseInt(pair, 16)
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : unprintable
}

/** Number of bytes in a hexadecimal text. */
export function byteCount(hex: string): number {
  return Math.floor(hex.length / 2)
}
