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
 * Provides `virtual:contract`: the routes of the contract (method, path, structure) without its schemas.
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
        return { '~orpc': { errorMap: {}, meta: {}, route: { method, path, inputStructure, outputStructure } } }
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

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  version: string
}

export default defineConfig({
  define: { __APP_VERSION__: JSON.stringify(version) },
  plugins: [react(), contractRoutes()],
  worker: { format: 'es' },
  build: { target: 'es2022', sourcemap: true, chunkSizeWarningLimit: 1200, manifest: true },
  server: {
    port: Number(process.env.WEB_PORT ?? 5173),
    strictPort: true,
    proxy: {
      '/api': { target: apiUrl, changeOrigin: false, ws: true },
      '/healthz': { target: apiUrl },
    },
  },
})
