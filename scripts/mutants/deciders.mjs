// Which files `npm run mutants` changes: those of the server that decide without reaching outside.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib.mjs'

const folder = 'packages/server/src'

/** What only machinery imports: databases, the network, files, other processes, timers. */
const outside =
  /^(kysely|pg|mqtt|aedes|fastify|ws|undici|node:(net|tls|dns|http|https|fs|child_process|timers|worker_threads|perf_hooks)(\/.*)?|.*[./]store\.ts|.*\/store\/.*|.*\/(context|clock|niceness|reader\/index|scripts\/(index|testing))\.ts)$/

/** Machinery that imports none of these: it sends requests, schedules work of others, or runs in a process of its own. */
const machinery = [
  'features/connectors/remote/tts.ts',
  'features/drivers/parsers/url/requests.ts',
  'platform/breaks.ts',
  'platform/fairQueue.ts',
  'platform/http/uploads.ts',
  'platform/log.ts',
  'platform/loop.ts',
  'platform/mqtt/lane.ts',
  'platform/mutex.ts',
  'platform/scripts/engine.ts',
  'platform/scripts/sandbox/analyse.ts',
  'platform/slots.ts',
]

/**
 * Deciders and validators: files with a unit test of the same name beside them that import nothing that reaches
 * outside, and are not listed as machinery.
 * @returns paths relative to the root, with slashes
 */
export function deciders() {
  return globSync(`${folder}/**/*.test.ts`, { cwd: root })
    .map((test) => test.replaceAll('\\', '/').replace(/\.test\.ts$/, '.ts'))
    .filter((file) => existsSync(join(root, file)))
    .filter((file) => !machinery.includes(file.slice(folder.length + 1)))
    .filter((file) => [...importsOf(file), ...importsOf(testOf(file))].every((name) => !outside.test(name)))
    .toSorted()
}

/** The unit test of a decider. */
export const testOf = (file) => file.replace(/\.ts$/, '.test.ts')

/** Modules that a file imports at run time. */
function importsOf(file) {
  const source = readFileSync(join(root, file), 'utf8')
  return [...source.matchAll(/^(?:import|export) (?!type\b)(?:[^'";]*? from )?'([^']+)'/gm)].map(
    ([, name]) => name,
  )
}
