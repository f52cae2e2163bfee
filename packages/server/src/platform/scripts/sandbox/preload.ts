/**
 * The V8 start-up snapshots that isolates begin from: our harness, and Buffer and lodash as `_` for scripts that name
 * them. Taken once when a sandbox process starts (some 50 ms); an isolate from one is there in 3 ms, a context in
 * 0.5 ms, with the libraries in 2 ms.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import ivm from 'isolated-vm'
import { LIMITS } from '../types.ts'

const require = createRequire(import.meta.url)

/** The files of the `buffer` package under the names by which they require each other. */
const BUFFER_MODULES = ['base64-js', 'ieee754', 'buffer/'] as const

function bufferSource(): string {
  const modules = BUFFER_MODULES.map(
    (name) =>
      `${JSON.stringify(name)}: function (module, exports, require) {\n${readFileSync(require.resolve(name), 'utf8')}\n}`,
  )
  return `globalThis.Buffer = (function (modules) {
    function require(name) {
      const module = { exports: {} }
      modules[name].call(module.exports, module, module.exports, require)
      return module.exports
    }
    return require('buffer/').Buffer
  })({ ${modules.join(',\n')} })`
}

function lodashSource(): string {
  return `globalThis._ = (function () {
    const module = { exports: {} }
    const exports = module.exports
    ;(function () {
${readFileSync(require.resolve('lodash'), 'utf8')}
    }).call(globalThis)
    return module.exports
  })()`
}

/**
 * Shared memory could be waited on without end, and WebAssembly is a second engine that no driver needs. Removed in
 * every context: V8 puts them in itself when it opens a snapshot, and dies when something is already missing there.
 */
const REMOVALS = `for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics']) delete globalThis[name]`

/** Buffers that grow take their memory past the limit of the isolate, and more of it than the machine has. */
const FIXED_BUFFERS = `{
    const { construct } = Reflect
    const fixed = new Proxy(ArrayBuffer, { construct: (type, parts, as) => construct(type, [parts[0]], as) })
    ArrayBuffer.prototype.constructor = fixed
    globalThis.ArrayBuffer = fixed
  }`

const GUEST_FILES = ['answers.js', 'families.js', 'harness.js'] as const

function guestSource(file: (typeof GUEST_FILES)[number]): { code: string; filename: string } {
  const source = readFileSync(new URL(`../guest/${file}`, import.meta.url), 'utf8')
  return { code: source.replace('__LIMITS__', () => JSON.stringify(LIMITS)), filename: file }
}

/** Takes a snapshot, with Buffer and lodash or without. Throws where one of its sources cannot be read. */
export function takeSnapshot(libraries: boolean): ivm.ExternalCopy<ArrayBuffer> {
  return ivm.Isolate.createSnapshot([
    ...(libraries
      ? [
          { code: bufferSource(), filename: 'buffer.js' },
          { code: lodashSource(), filename: 'lodash.js' },
        ]
      : []),
    ...GUEST_FILES.map(guestSource),
  ])
}

/** Run first in every context: takes the harness away from where scripts could reach it. */
export const TAKE_HARNESS = `(function () {
  ${REMOVALS}
  ${FIXED_BUFFERS}
  const harness = globalThis.$harness
  delete globalThis.$harness
  return harness
})()`
