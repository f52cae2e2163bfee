/**
 * Where a sandbox process starts. It receives its own modules, without their types, as JSON on its input: URL to
 * code. The compiler with which Node would remove the types takes longer to load than everything else here.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const modules = new Map(Object.entries(JSON.parse(readFileSync(0, 'utf8'))))

registerHooks({
  load(url, context, next) {
    const source = modules.get(url)
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
  },
})

await import('./main.ts')
