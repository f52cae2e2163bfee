import { fixedPlaceholders, placeholdersOf } from '../render.ts'
import type { Issue } from '../types.ts'

/** Checks that every placeholder of a text is defined. */
export function checkText(text: string, aliases: ReadonlySet<string>, path: string[]): Issue[] {
  const known = new Set<string>([...aliases, ...fixedPlaceholders])
  return placeholdersOf(text)
    .filter((name) => !known.has(name))
    .map((name) => ({ path, message: `there is nothing called {{${name}}}` }))
}
