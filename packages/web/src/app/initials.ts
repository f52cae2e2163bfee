/**
 * Two letters for a name: first letters of first and last word, or the first two of a single one or of an
 * e-mail address.
 */
export function initialsOf(name: string): string {
  const words = name.split(/[\s@._-]+/).filter(Boolean)
  // By characters, so that none is cut in half.
  const first = (text: string | undefined) => [...(text ?? '')][0] ?? ''
  const letters =
    words.length > 1 && !name.includes('@')
      ? `${first(words[0])}${first(words.at(-1))}`
      : [...name.trim()].slice(0, 2).join('')
  return letters.toLocaleUpperCase()
}
