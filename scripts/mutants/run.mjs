// `npm run mutants [-- <part of a path>…]`: changes the deciders and validators of the server one expression at a time
// and prints the changes that no unit test notices. Exit code 1 if fewer than 85 % are noticed.
import { readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Stryker } from '@stryker-mutator/core'
import { root } from '../lib.mjs'
import { deciders } from './deciders.mjs'

const wanted = 85
const folder = 'packages/server/src/'

/** A change that does not end is noticed, too. */
const noticed = ['Killed', 'Timeout']
const missed = ['Survived', 'NoCoverage']

/** Prints the changes of a file that were not noticed; returns its score. */
function report(file, mutants) {
  const own = mutants.filter(({ fileName }) => resolve(fileName) === resolve(file))
  const survivors = own.filter(({ status }) => missed.includes(status))
  const lines = readFileSync(file, 'utf8').split('\n')
  for (const { location, replacement, status } of survivors) {
    const { start } = location
    const note = status === 'NoCoverage' ? ' (not run by the test)' : ''
    console.log(`${file}:${start.line}:${start.column}${note}`)
    console.log(`  ${shorten(textAt(lines, location))} → ${shorten(replacement)}`)
  }
  return {
    name: file.slice(folder.length),
    noticed: own.filter(({ status }) => noticed.includes(status)).length,
    missed: survivors.length,
  }
}

/** The part of a file at a location, both ends counted from 1. */
function textAt(lines, { start, end }) {
  const part = lines.slice(start.line - 1, end.line)
  part[part.length - 1] = part.at(-1).slice(0, end.column - 1)
  part[0] = part[0].slice(start.column - 1)
  return part.join(' ')
}

const shorten = (text) => {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 120)}…` : line
}

const percent = (row) => (100 * row.noticed) / Math.max(1, row.noticed + row.missed)

const line = (row) =>
  [
    percent(row).toFixed(1).padStart(5),
    String(row.noticed).padStart(7),
    String(row.missed).padStart(6),
    row.name,
  ].join('  ')

const parts = process.argv.slice(2)
const files = deciders().filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
if (files.length === 0) {
  console.error(`No decider has ${parts.join(' or ')} in its path; see scripts/mutants/deciders.mjs.`)
  process.exit(1)
}

process.chdir(root)
// The same changes are noticed in every run. What a property does not find in a tenth of its runs is rarely found in all.
process.env.FUZZ_SEED ??= '1'
process.env.FUZZ_TIMES ??= '0.1'

const mutants = await new Stryker({
  configFile: false,
  packageManager: 'npm',
  testRunner: 'in-process',
  plugins: [join(root, 'scripts', 'mutants', 'runner.mjs')],
  coverageAnalysis: 'perTest',
  mutate: files,
  reporters: [process.stdout.isTTY ? 'progress' : 'progress-append-only'],
  logLevel: 'error',
  ignorePatterns: ['**', '!scripts/**', '!packages/server/{src,test}/**', '!packages/server/package.json'],
  tempDirName: join(tmpdir(), 'leitstand-mutants'),
  cleanTempDir: 'always',
  concurrency: Math.max(1, availableParallelism() - 1),
  tsconfigFile: 'none',
}).runMutationTest()

const rows = files.map((file) => report(file, mutants))
const all = {
  name: 'all',
  noticed: rows.reduce((sum, row) => sum + row.noticed, 0),
  missed: rows.reduce((sum, row) => sum + row.missed, 0),
}
console.log('\nscore  noticed  missed')
for (const row of [...rows.toSorted((a, b) => percent(a) - percent(b)), all]) console.log(line(row))
if (percent(all) < wanted) {
  console.log(`\nFewer than ${wanted} % of the changes were noticed.`)
  process.exitCode = 1
}
