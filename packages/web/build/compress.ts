import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const [toBrotli, toGzip] = [promisify(brotliCompress), promisify(gzip)]

/** Fonts and images are compressed already, and source maps are read only by developers. */
const extensions = new Set(['.js', '.css', '.html', '.json', '.svg', '.webmanifest'])
/** As the server: smaller files gain nothing. */
const fromBytes = 1024
/** Nearly as small as the highest, in a fifth of the time. */
const brotliQuality = 9

/** Writes each file in brotli and gzip beside it, so that the server does not compress it with every request. */
export function compressed(): Plugin {
  let folder = ''
  return {
    name: 'leitstand-compressed',
    apply: 'build',
    configResolved({ root, build }) {
      folder = join(root, build.outDir)
    },
    closeBundle: {
      order: 'post',
      async handler() {
        const files = readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter(
            (entry) =>
              entry.isFile() && !entry.parentPath.endsWith('.vite') && extensions.has(extname(entry.name)),
          )
          .map((entry) => join(entry.parentPath, entry.name))
        for (const file of files) {
          const bytes = await readFile(file)
          if (bytes.length < fromBytes) continue
          const params = {
            [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          }
          const [brotli, gzipped] = await Promise.all([
            toBrotli(bytes, { params }),
            toGzip(bytes, { level: constants.Z_BEST_COMPRESSION }),
          ])
          await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)])
        }
      },
    },
  }
}
