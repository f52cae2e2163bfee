// Measures what the browser loads before the first screen: the entry with everything it imports, the German texts, and
// the chunks of the sign-in page or of shell and home. Fails above the limit. Needs a build (`vite build`).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** Bytes of gzipped JavaScript before the first screen. */
const limitBytes = 240_000

const dist = fileURLToPath(new URL('../dist', import.meta.url))
/** @type {Record<string, { file: string, imports?: string[], dynamicImports?: string[] }>} */
const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8'))

/** Files of a chunk and of all it imports at once. @param {string} name @param {Set<string>} files */
function collect(name, files) {
  const chunk =
    manifest[name] ??
    Object.values(manifest).find((each) => each.src?.endsWith(name) || each.file.includes(name))
  if (!chunk) throw new Error(`The build has no chunk for ${name}`)
  if (files.has(chunk.file)) return files
  files.add(chunk.file)
  for (const imported of chunk.imports ?? []) collect(imported, files)
  return files
}

const always = ['index.html', 'virtual:texts/de/first']
const firstScreens = {
  'sign-in': ['src/features/signon/LoginPage.tsx'],
  home: ['src/app/Shell.tsx', 'src/features/home/HomePage.tsx'],
}

let failed = false
for (const [name, chunks] of Object.entries(firstScreens)) {
  const files = new Set()
  for (const chunk of [...always, ...chunks]) collect(chunk, files)
  const bytes = [...files]
    .filter((file) => file.endsWith('.js'))
    .reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0)
  console.log(
    `${name}: ${(bytes / 1000).toFixed(1)} kB of gzipped JavaScript in ${files.size} files (limit ${limitBytes / 1000} kB)`,
  )
  if (bytes > limitBytes) failed = true
}
if (failed) process.exit(1)
