// A test runner of Stryker: runs the test beside a changed file in the process that is already there. Vitest starts a
// worker for each change, which takes a hundred times as long as most of these tests.
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { testOf } from './deciders.mjs'
import { collected } from './vitest.mjs'

/** Where changed files find out which change is active, and count what they run. */
const changes = {}
globalThis.__stryker__ = changes

class Runner {
  static inject = ['options']
  #files
  #loads = 0

  constructor(options) {
    this.#files = options.mutate
  }

  capabilities() {
    return { reloadEnvironment: true }
  }

  async init() {
    const files = new Set(this.#files.map((file) => pathToFileURL(resolve(file)).href))
    const stub = new URL('./vitest.mjs', import.meta.url).href
    // A query makes Node load a module again. Only tests and changed files are, once for each change.
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === 'vitest' && context.parentURL !== stub) return { url: stub, shortCircuit: true }
        const found = next(specifier, context)
        const load = context.parentURL?.match(/\?load=\d+$/)?.[0]
        return load && files.has(found.url) ? { ...found, url: found.url + load } : found
      },
    })
    await import(pathToFileURL(resolve('packages/server/test/seed.ts')).href)
    // Nobody reads which input a change fails with, so it is not made smaller.
    fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true })
  }

  async dryRun() {
    changes.activeMutant = undefined
    const tests = []
    for (const file of this.#files) {
      // Loading is counted as part of the first test. Otherwise Stryker would wait for each endless change as long as all
      // files take to load.
      let started = performance.now()
      const declared = await this.#load(file)
      for (const { id, run } of declared) {
        changes.currentTestId = id
        const failure = await failureOf(run)
        changes.currentTestId = undefined
        const result = { id, name: id, timeSpentMs: performance.now() - started }
        started = performance.now()
        tests.push(
          failure === null ? { ...result, status: 0 } : { ...result, status: 1, failureMessage: failure },
        )
      }
      await this.#unload()
    }
    return { status: 'complete', tests, mutantCoverage: changes.mutantCoverage }
  }

  async mutantRun({ activeMutant, hitLimit, sandboxFileName, testFilter }) {
    changes.hitLimit = hitLimit
    changes.hitCount = 0
    changes.activeMutant = activeMutant.id
    const file = this.#files.find((each) => resolve(each) === resolve(sandboxFileName))
    let nrOfTests = 0
    try {
      const declared = await this.#load(file)
      const chosen =
        testFilter === undefined ? declared : declared.filter(({ id }) => testFilter.includes(id))
      for (const { id, run } of chosen) {
        nrOfTests++
        const failureMessage = await failureOf(run)
        if (changes.hitCount > hitLimit) return { status: 'timeout' }
        if (failureMessage !== null) return { status: 'killed', killedBy: [id], failureMessage, nrOfTests }
      }
      return { status: 'survived', nrOfTests }
    } catch (error) {
      return { status: 'killed', killedBy: [], failureMessage: String(error), nrOfTests }
    } finally {
      await this.#unload()
    }
  }

  /** Loads the test of a file; resolves with the tests it declares, whose ids begin with its path. */
  async #load(file) {
    this.#loads++
    Object.assign(collected, { tests: [], beforeAll: [], afterAll: [] })
    await import(`${pathToFileURL(resolve(testOf(file))).href}?load=${this.#loads}`)
    for (const run of collected.beforeAll) await run()
    return collected.tests.map(({ id, run }) => ({ id: `${file} ${id}`, run }))
  }

  async #unload() {
    changes.activeMutant = undefined
    for (const run of collected.afterAll) await run()
  }
}

/** Why a test fails, or null. */
async function failureOf(run) {
  try {
    await run()
    return null
  } catch (error) {
    return String(error?.message ?? error)
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', injectableClass: Runner }]
