import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const apiUrl = process.env.API_URL ?? 'http://127.0.0.1:8080'
const contractEntry = fileURLToPath(new URL('../contract/src/index.ts', import.meta.url))

/** A Node that reads TypeScript: this one, or the one that the npm package `node` brings along. */
function nodeWithTypes(): string {
  if (process.features.typescript) return process.execPath
  return fileURLToPath(new URL('../../node_modules/.bin/node', import.meta.url))
}

/**
 * Provides `virtual:contract`: the routes of the contract (method, path, structure, how long to wait) without its schemas.
 * The client needs only these to speak to the API; zod and the schemas (over 60 kB gzipped) stay out of the first load.
 * The contract is read by a fresh Node process each time, so that a change of it is seen while Vite keeps running.
 */
function contractRoutes(): Plugin {
  const id = '\0virtual:contract'
  const script = `
    const { contract } = await import(${JSON.stringify(contractEntry)})
    const strip = (node) => {
      const def = node?.['~orpc']
      if (def) {
        const { method, path, inputStructure, outputStructure } = def.route
        const { clientTimeoutMs } = def.meta
        return { '~orpc': { errorMap: {}, meta: { clientTimeoutMs }, route: { method, path, inputStructure, outputStructure } } }
      }
      return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, strip(child)]))
    }
    process.stdout.write(JSON.stringify(strip(contract)))
  `
  return {
    name: 'leitstand-contract-routes',
    resolveId: (source) => (source === 'virtual:contract' ? id : undefined),
    load(source) {
      if (source !== id) return undefined
      this.addWatchFile(contractEntry)
      const json = execFileSync(nodeWithTypes(), ['--input-type=module', '--eval', script], {
        encoding: 'utf8',
        cwd: fileURLToPath(new URL('.', import.meta.url)),
        maxBuffer: 16 * 1024 * 1024,
      })
      return `export default JSON.parse(${JSON.stringify(json)})`
    },
    handleHotUpdate({ file, server }) {
      if (!file.includes('/packages/contract/src/')) return
      const module = server.moduleGraph.getModuleById(id)
      if (module) server.moduleGraph.invalidateModule(module)
      server.ws.send({ type: 'full-reload' })
    },
  }
}

/** Areas of the texts that the first screens need; all others are fetched beside them. */
const firstAreas = new Set([
  'common',
  'nav',
  'footer',
  'live',
  'health',
  'palette',
  'shortcuts',
  'auth',
  'impersonation',
  'errorPage',
  'home',
  'errors',
  'list',
])

/**
 * Provides `virtual:texts/<language>/first` and `…/rest`: the locale files cut in two, so that the first load does not
 * grow with every screen. Of `screens` the first part holds the titles, which the drawer shows.
 */
function localeParts(): Plugin {
  const prefix = '\0virtual:texts/'
  return {
    name: 'leitstand-locale-parts',
    resolveId: (source) => (source.startsWith('virtual:texts/') ? `\0${source}` : undefined),
    load(source) {
      if (!source.startsWith(prefix)) return undefined
      const [language, part] = source.slice(prefix.length).split('/')
      const file = fileURLToPath(new URL(`./src/locales/${language}.json`, import.meta.url))
      this.addWatchFile(file)
      const { screens, ...areas } = JSON.parse(readFileSync(file, 'utf8')) as Record<
        string,
        Record<string, unknown>
      >
      const wanted = Object.entries(areas).filter(([area]) => firstAreas.has(area) === (part === 'first'))
      const field = part === 'first' ? 'title' : 'holds'
      const cut = Object.entries(screens as Record<string, Record<string, string>>).flatMap(([key, texts]) =>
        texts[field] === undefined ? [] : [[key, { [field]: texts[field] }]],
      )
      const texts = { ...Object.fromEntries(wanted), screens: Object.fromEntries(cut) }
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(texts))})`
    },
  }
}

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  version: string
}

/**
 * Chunks, in the order in which the console loads them; a module goes into the first that matches, with all it imports.
 * Left alone, the bundler makes one for every set of screens that share something: 350 of them, most under 2 kB, of which
 * the list of devices needs eighty.
 */
const chunkGroups = [
  // The start: libraries, and our own.
  { name: 'core', tags: ['$initial' as const], test: /node_modules/ },
  { name: 'base', tags: ['$initial' as const], test: /\/web\/src\/(?!main\.)|\/contract\/|virtual:/ },
  // What sign-in and shell have in common; without it the shell would load the sign-in page as well.
  {
    name: 'entry',
    test: /\/@tanstack\/(query-core|react-query)\/|\/components\/(Alert|CloseButton|Divider|Input)\/|\/(use-uncontrolled|use-computed-color-scheme|Icon(AlertCircle|Sun|Moon|Language|WifiOff))\.|\/web\/src\/(lib\/slot|ui\/display\/Mark)\./,
  },
  { name: 'signin', test: /\/signon\/LoginPage\./ },
  { name: 'frame', test: /\/web\/src\/(app\/Shell|features\/home\/HomePage)\./ },
  { name: 'slots', test: /\/web\/src\/app\/slots\./ },
  // What screens have in common.
  { name: 'zod', test: /\/node_modules\/zod\// },
  { name: 'lists', test: /\/web\/src\/ui\/list\// },
  { name: 'sortable', test: /\/@dnd-kit\// },
  {
    name: 'forms',
    test: /\/@mantine\/form\/|\/components\/(NumberInput|TagsInput|Textarea|Switch|Radio)\/|\/web\/src\/ui\/forms\/FormLayout/,
  },
  { name: 'common', minShareCount: 4, test: /^(?!.*\/contract\/)/, maxModuleSize: 40_000 },
  // List and map of devices: one chunk for both, as people switch between them.
  { name: 'deviceList', test: /\/web\/src\/features\/devices\/(DevicesPage|DeviceMapPage)\./ },
  { name: featureOf, minShareCount: 2 },
  { name: 'icons', minShareCount: 2, test: /\/@tabler\// },
].map((group, index) => ({ ...group, priority: 100 - index }))

/** What several parts of a feature share; without forms' values, which need the schemas. */
function featureOf(id: string): string | null {
  return /\/web\/src\/features\/(\w+)\/(?!.*[vV]alues\.)/.exec(id)?.[1] ?? null
}

export default defineConfig({
  define: { __APP_VERSION__: JSON.stringify(version) },
  plugins: [react(), contractRoutes(), localeParts()],
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    sourcemap: true,
    chunkSizeWarningLimit: 1200,
    manifest: true,
    rolldownOptions: {
      output: { codeSplitting: { groups: chunkGroups } },
    },
  },
  server: {
    port: Number(process.env.WEB_PORT ?? 5173),
    strictPort: true,
    proxy: {
      '/api': { target: apiUrl, changeOrigin: false, ws: true },
      '/oauth2': { target: apiUrl },
      '/healthz': { target: apiUrl },
    },
  },
})
