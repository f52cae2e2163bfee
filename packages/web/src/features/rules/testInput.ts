/** `21,5` is a number, `true` and `ja` are booleans, anything else is text. */
export function readInput(text: string): string | number | boolean {
  const trimmed = text.trim()
  if (/^[+-]?\d+([.,]\d+)?$/.test(trimmed)) return Number(trimmed.replace(',', '.'))
  if (/^(true|ja|yes)$/i.test(trimmed)) return true
  if (/^(false|nein|no)$/i.test(trimmed)) return false
  return trimmed
}
