import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first file of this name in the folders of `path` that may be run. */
export function findProgram(name: string, path = process.env.PATH ?? ''): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}
