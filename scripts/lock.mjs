// `npm run lock`: writes package-lock.json for every platform.
//
// A registry mirror may hold the binaries of some platforms only; npm then omits the others from the lock
// file, and `npm ci` rejects such a file everywhere. The dependents pin the omitted packages, so their
// entries can be completed from there: name, version and the platform in their name.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkNode, root, run } from './lib.mjs'

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
  'wasm32',
]

/** Operating system, processor and C library from a package's name. */
function platformOf(name) {
  const words = name.replaceAll('windows', 'win32').split(/[-/]/)
  const os = systems.filter((system) =>
    words.some((word) => word === system || (system === 'linux' && word.startsWith('linux'))),
  )
  const cpu = processors.filter((processor) =>
    words.some(
      (word) =>
        word === processor ||
        (processor === 'arm' && /^arm(v\d.*|eabi.*)?$/.test(word)) ||
        (processor === 'ppc64' && word === 'ppc64le'),
    ),
  )
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : []
  return {
    ...(os.length > 0 ? { os } : {}),
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(libc.length > 0 && os.includes('linux') ? { libc } : {}),
  }
}

/** Entries that are required but missing. */
function missingEntries(packages) {
  const missing = {}
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, wanted] of Object.entries(entry.optionalDependencies ?? {})) {
      const nested = `${path}/node_modules/${name}`
      const top = `node_modules/${name}`
      if (packages[nested] || packages[top] || missing[top]) continue
      const platform = platformOf(name)
      if (!platform.os && !platform.cpu)
        throw new Error(`${name} is missing from the lock file and names no platform`)
      missing[top] = {
        version: wanted.replace(/^[~^>=\s]+/, ''),
        ...platform,
        optional: true,
        dev: entry.dev,
      }
    }
  }
  return missing
}

checkNode()
const file = join(root, 'package-lock.json')
const code = await run('npm', [
  'install',
  '--package-lock-only',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
])
if (code !== 0) process.exit(code)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const missing = missingEntries(lock.packages)
lock.packages = Object.fromEntries(
  Object.entries({ ...lock.packages, ...missing }).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
)
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`)
console.log(
  `package-lock.json: ${Object.keys(lock.packages).length} packages, ${Object.keys(missing).length} completed`,
)
