/** Pure. A text with another put in at the selection of its field, and where the caret is then; without a field at its end. */
export function inserted(
  value: string,
  text: string,
  field: { selectionStart: number | null; selectionEnd: number | null } | null,
): { value: string; caret: number } {
  const start = field?.selectionStart ?? value.length
  const end = field?.selectionEnd ?? start
  return { value: value.slice(0, start) + text + value.slice(end), caret: start + text.length }
}
