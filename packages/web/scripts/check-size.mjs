// Measures what the browser loads before a screen is usable, from the list that the build writes (`build/firstFiles.ts`):
// the JavaScript of the first screens, and the number of files of every screen. Fails above the limits. Needs a build
// (`vite build`).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** Bytes of gzipped JavaScript before sign-in and home. */
const limitBytes = 240_000
const firstScreens = ['/login', '/home']
/** Page, scripts, styles and font of a screen; calls of the API not counted. */
const limitFiles = 12

const dist = fileURLToPath(new URL('../dist', import.meta.url))
/** @type {{ path: string, files: string[], later: string[] }[]} */
const screens = JSON.parse(readFileSync(join(dist, '.vite/first-files.json'), 'utf8'))

let failed = false
for (const { path, files, later } of screens.filter(({ path }) => firstScreens.includes(path))) {
  const bytes = files
    .filter((file) => file.endsWith('.js') && !later.includes(file))
    .reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0)
  console.log(
    `${path}: ${(bytes / 1000).toFixed(1)} kB of gzipped JavaScript (limit ${limitBytes / 1000} kB) in ${files.length} files`,
  )
  if (bytes > limitBytes) failed = true
}

const most = Math.max(...screens.map(({ files }) => files.length))
console.log(`${screens.length} screens with at most ${most} files each (limit ${limitFiles})`)
for (const { path, files } of screens.filter(({ files }) => files.length > limitFiles)) {
  console.log(`${path}: ${files.length} files: ${files.join(', ')}`)
  failed = true
}
if (failed) process.exit(1)
