import { randomBytes } from 'node:crypto'

/** The folders of a path from the first to the last: `/a/b` are `/a` and `/a/b`. */
export function foldersOf(folder: string): string[] {
  const parts = partsOf(folder)
  const root = folder.startsWith('/') ? '/' : ''
  return parts.map((_part, index) => root + parts.slice(0, index + 1).join('/'))
}

/** The parts of a path, without empty ones. */
export function partsOf(folder: string): string[] {
  return folder.split('/').filter((part) => part !== '')
}

/** The name of a file that is not complete yet; two attempts at once do not disturb each other. */
export function partOf(name: string): string {
  return `.${name}.${randomBytes(4).toString('hex')}.part`
}
