const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const openBrace = 0x7b

/**
 * Whether a JSON text has more values, or more named ones, than allowed; checked before parsing, because
 * creating the values is the slow part. For invalid JSON the count may be wrong.
 */
export function isTooRich(
  json: string,
  { valuesMax, keysMax }: { valuesMax: number; keysMax: number },
): boolean {
  // A value takes at least one character and a separator.
  if (json.length < keysMax) return false
  let values = 1
  let keys = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) at = endOfText(json, at)
    else if (code === comma || code === openBracket || code === openBrace) values += 1
    else if (code === colon) keys += 1
    if (values > valuesMax || keys > keysMax) return true
  }
  return false
}

/** The end of the string that starts here. */
function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end < 0 ? json.length : end
}

function isEscaped(json: string, at: number): boolean {
  let slashes = 0
  while (json.charCodeAt(at - 1 - slashes) === backslash) slashes += 1
  return slashes % 2 === 1
}
