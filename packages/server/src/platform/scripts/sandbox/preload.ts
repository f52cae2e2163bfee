/**
 * The V8 start-up snapshots that isolates start from: our harness, and Buffer and lodash as `_` for scripts
 * that use them. Taken once when a sandbox process starts (some 50 ms); creating an isolate from one takes 3
 * ms, a context 0.5 ms, with the libraries 2 ms.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import ivm from 'isolated-vm'
import { LIMITS } from '../types.ts'

const require = createRequire(import.meta.url)

/** The files of the `buffer` package under the names they use to require each other. */
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

const GUEST_FILES = ['answers.js', 'families.js', 'harness.js'] as const

function guestSource(file: (typeof GUEST_FILES)[number]): { code: string; filename: string } {
  const source = readFileSync(new URL(`../guest/${file}`, import.meta.url), 'utf8')
  return { code: source.replace('__LIMITS__', () => JSON.stringify(LIMITS)), filename: file }
}

/** Takes a snapshot, with Buffer and lodash or without. Throws if one of its sources cannot be read. */
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

/**
 * Runs first in every context: removes what scripts must not have, and takes the harness out of their reach.
 *
 * Waiting on shared memory could block forever, and WebAssembly is a second engine that no driver needs.
 * Removed in every context: V8 adds them when it opens a snapshot, and crashes when something is already
 * missing there.
 *
 * Resizable buffers take memory beyond the limit of the isolate, and more than the machine has. The real
 * constructor runs no code of a script and throws to none, so that no stack trace leads to it.
 */
export const TAKE_HARNESS = `(function () {
  'use strict'
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics']) delete globalThis[name]
  const Real = ArrayBuffer
  const TooLarge = RangeError
  const { freeze, setPrototypeOf } = Object
  const fixed = new Proxy(Real, freeze({
    __proto__: null,
    construct(_type, parts, as) {
      const length = parts.length > 0 ? +parts[0] : 0
      const prototype = as === fixed ? undefined : as.prototype
      let made
      try {
        made = new Real(length)
      } catch {
        throw new TooLarge('Array buffer allocation failed')
      }
      const isOwn = (typeof prototype === 'object' && prototype !== null) || typeof prototype === 'function'
      return isOwn ? setPrototypeOf(made, prototype) : made
    },
  }))
  Real.prototype.constructor = fixed
  globalThis.ArrayBuffer = fixed
  const harness = globalThis.$harness
  delete globalThis.$harness
  return harness
})()`
