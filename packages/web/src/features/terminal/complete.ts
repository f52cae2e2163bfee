/** What can follow what was typed. */
export interface Completion {
  /** the line with as much as is certain */
  line: string
  /** all that fit, if there are several */
  choices: string[]
}

/** Completes the name of a command; an argument is for its user to know. */
export function complete(typed: string, names: readonly string[]): Completion {
  const start = typed.trimStart()
  if (start.includes(' ')) return { line: typed, choices: [] }
  const choices = names.filter((name) => name.startsWith(start))
  const [first, ...others] = choices
  if (first === undefined) return { line: typed, choices: [] }
  if (others.length === 0) return { line: `${first} `, choices: [] }
  return { line: others.reduce(commonStart, first), choices }
}

function commonStart(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return a.slice(0, length)
}
