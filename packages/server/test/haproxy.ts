import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)
const places = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/usr/bin/haproxy']

/** The path of haproxy; installed with apt-get where that is possible. */
export async function haproxyProgram(): Promise<string> {
  const found = places.find((place) => existsSync(place))
  if (found) return found
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'haproxy'])
    const installed = places.find((place) => existsSync(place))
    if (installed) return installed
  }
  throw new Error('The tests need haproxy: install it, e.g. with "apt-get install haproxy"')
}
