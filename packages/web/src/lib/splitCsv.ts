/**
 * Fields in double quotes may contain separators, line breaks and doubled quotes. Empty lines are skipped.
 */
export function splitCsv(text: string): { line: number; fields: string[] }[] {
  const separator = separatorOf(text)
  const rows: { line: number; fields: string[] }[] = []
  let fields: string[] = []
  let field = ''
  let quoted = false
  let line = 1
  let begun = 1
  const endRow = () => {
    fields.push(field)
    if (fields.some((one) => one.trim() !== '')) rows.push({ line: begun, fields })
    fields = []
    field = ''
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (quoted) {
      if (char === '"' && text[at + 1] === '"') {
        field += '"'
        at++
      } else if (char === '"') quoted = false
      else field += char
      if (char === '\n') line++
    } else if (char === '"' && field.trim() === '') {
      quoted = true
      field = ''
    } else if (char === separator) {
      fields.push(field)
      field = ''
    } else if (char === '\n') {
      endRow()
      line++
      begun = line
    } else if (char !== '\r') field += char
  }
  endRow()
  return rows
}

/** The most frequent separator of the first line. */
function separatorOf(text: string): string {
  const [first = ''] = text.split('\n', 1)
  const count = (separator: string) => first.split(separator).length
  return [';', ',', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best))
}
