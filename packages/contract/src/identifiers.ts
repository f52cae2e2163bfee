const eui64 =
  /^(?:0x)?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})[\s:.-]?([0-9a-f]{2})$/i

/** Whether a text is an EUI-64 in any of the usual notations: 16 hex digits, pairs separated by `-`, `:`, `.` or blank. */
export function isEui64(text: string): boolean {
  return eui64.test(text.trim())
}

/**
 * The form in which external ids are stored and compared: an EUI-64 as 16 upper-case hex digits without separators,
 * everything else as it is, without blanks around it.
 */
export function normaliseExternalId(text: string): string {
  const trimmed = text.trim()
  const pairs = eui64.exec(trimmed)
  return pairs === null ? trimmed : pairs.slice(1).join('').toUpperCase()
}
