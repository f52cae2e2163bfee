import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folders = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']

/**
 * Where a program is.
 * @throws Error that says how to install it
 */
export function findProgram(name: string): string {
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (found === undefined)
    throw new Error(`Measuring several nodes needs ${name}: install it, e.g. with "apt-get install ${name}"`)
  return found
}
