import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'
import { pureContract } from './pureContract.ts'

const web = fileURLToPath(new URL('..', import.meta.url))

/** Provides `virtual:texts/<language>/offline`: the texts of reports, in a page that must be small. */
function textsOfReports(): Plugin {
  const id = /^virtual:texts\/(\w+)\/offline$/
  return {
    name: 'leitstand-offline-texts',
    enforce: 'pre',
    resolveId: (source) => (id.test(source) ? `\0${source}` : undefined),
    load(source) {
      const language = id.exec(source.slice(1))?.[1]
      if (language === undefined) return undefined
      const file = `${web}src/locales/${language}.json`
      this.addWatchFile(file)
      const { report, photo, types, add, kept, success, offline } = JSON.parse(
        readFileSync(file, 'utf8'),
      ).tickets
      const tickets = { report, photo, types, add, kept, success, offline }
      return `export default JSON.parse(${JSON.stringify(JSON.stringify({ tickets }))})`
    },
  }
}

/**
 * Builds `offline.html`, on which reports are written without a network, by itself: with the console, it would share files
 * with it and bring most of its code. Its own files are in `offline/`, which `public/worker.js` keeps.
 */
export function offlinePage(): Plugin[] {
  return [
    textsOfReports(),
    {
      name: 'leitstand-offline-page',
      apply: 'build',
      writeBundle: {
        sequential: true,
        async handler({ dir }) {
          await build({
            root: web,
            configFile: false,
            logLevel: 'error',
            plugins: [pureContract(), textsOfReports()],
            build: {
              target: 'es2022',
              outDir: dir ?? this.error('The build has no folder'),
              emptyOutDir: false,
              copyPublicDir: false,
              assetsDir: 'offline',
              modulePreload: { polyfill: false },
              rolldownOptions: { input: `${web}offline.html` },
            },
          })
        },
      },
    },
  ]
}
