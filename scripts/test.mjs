// `npm test`: sets up what the tests need, then check, unit, integration and browser tests.
// `npm run test -- <file>` runs only these files, `npm run test -- attack` the attack suite;
// `--only unit|integration|browser` only one part.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { check } from './check.mjs'
import {
  buildConsole,
  cacheFolder,
  capture,
  checkNode,
  find,
  installPackages,
  installPrograms,
  node,
  root,
  run,
} from './lib.mjs'

const projects = ['unit', 'integration', 'browser']

/** Suites by name, as parts of the paths of their files. */
const suites = {
  attack: [
    'server/test/attack/',
    'server/test/sweep/',
    'hostile',
    'platform/scripts/',
    'platform/elixir/',
    'platform/sandbox/',
    'platform/reader/',
    'platform/live/',
    'platform/mqtt/signIns',
    'platform/net/',
    'http/tls',
    'http/health',
    'db/embedded',
    'accounts/domains/',
    'people/known',
    'people/passwords/',
    'rights/mailGuard',
    'rights/matrix',
    'users/names',
    'connectors/keys/',
    'drivers/acceptance/',
    'drivers/isolation',
    'jobs/revoked',
    'rules/mails/',
  ],
}

const args = process.argv.slice(2).flatMap((arg) => suites[arg] ?? [arg])
const only = args.includes('--only') ? args.splice(args.indexOf('--only'), 2)[1] : undefined
if (only !== undefined && !projects.includes(only)) throw new Error(`--only takes ${projects.join(', ')}`)

checkNode()
await installPackages()
process.env.FUZZ_SEED ??= await seedOfRevision()
console.log(`Property tests: FUZZ_SEED=${process.env.FUZZ_SEED}`)
const chosen = only === undefined ? projects : [only]
if (chosen.some((name) => name !== 'unit') || args.length > 0)
  await installPrograms([{ programs: ['sshd'], package: 'openssh-server' }])
if (chosen.includes('integration') || args.length > 0) {
  await installPrograms([
    { programs: ['mosquitto'], package: 'mosquitto' },
    { programs: ['elixir'], package: 'elixir' },
    { programs: ['bwrap'], package: 'bubblewrap' },
    { programs: ['rclone'], package: 'rclone' },
  ])
}
if (chosen.some((name) => name !== 'unit')) {
  // The shell draws the same pages without the windows around them, in a quarter less processor time.
  const shells = ['chromium-headless-shell', 'chrome-headless-shell']
  const browsers = [...shells, 'chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser']
  if (!process.env.CHROMIUM_PATH)
    await installPrograms([{ programs: browsers, package: 'chromium-headless-shell' }])
  process.env.CHROMIUM_PATH ??= browsers.map(find).find(Boolean)
}
// The server's tests also request the console's pages.
if (chosen.some((name) => name !== 'unit')) await buildConsole()

const memory = inMemory()
if (memory !== undefined) {
  process.env.TMPDIR = memory
  console.log(`Files of the tests: ${memory}`)
}

const totals = { passed: 0, failed: 0 }
/** What failed, said again at the end: the log of a whole run has thousands of lines. */
const failures = []
if (chosen.includes('browser') && args.length === 0) {
  const { code, output } = await capture(node, [join(root, 'packages', 'web', 'scripts', 'check-size.mjs')])
  console.log(`${code === 0 ? '✓' : '✗'} first load of the console\n${output.trimEnd()}`)
  if (code !== 0) fail('first load of the console')
}
if (args.length === 0 && only === undefined) {
  for (const name of await check()) fail(name)
}

// Browser tests run alone, because they wait for what a user would see.
const runs =
  args.length > 0
    ? [chosen]
    : [chosen.filter((name) => name !== 'browser'), chosen.filter((name) => name === 'browser')]
let succeeded = true
for (const names of runs) {
  if (names.length > 0) succeeded = (await runTests(names)) && succeeded
}
for (const failure of failures) console.log(`✗ ${failure}`)
console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
process.exitCode = totals.failed === 0 && succeeded ? 0 : 1

/**
 * The seed of property and fuzz tests: fixed for a revision, so that a run can be repeated, and different
 * with every commit. Random outside a repository.
 */
async function seedOfRevision() {
  const { code, output } = find('git')
    ? await capture('git', ['rev-parse', '--short=7', 'HEAD'])
    : { code: 1, output: '' }
  return String(
    code === 0 ? Number.parseInt(output.trim().slice(0, 7), 16) : Math.floor(Math.random() * 2 ** 28),
  )
}

/**
 * A folder in memory for the databases and data folders of the tests: each of several hundred databases is a thousand
 * files that are soon deleted, and creating these on a disk took a fifth of PostgreSQL's processor time. It is
 * deleted at the end. Undefined: the caller has chosen a folder, or the machine has none that is large enough.
 */
function inMemory() {
  const place = '/dev/shm'
  const bytesMin = 4 * 1024 ** 3
  const tmpfs = 0x01021994
  if (process.env.TMPDIR || process.platform !== 'linux') return undefined
  let folder
  try {
    const { type, bavail, bsize } = statfsSync(place)
    if (type !== tmpfs || bavail * bsize < bytesMin || process.availableMemory() < 2 * bytesMin)
      return undefined
    folder = mkdtempSync(join(place, 'leitstand-'))
  } catch {
    return undefined
  }
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // If we are root, the database runs as another user, who must be able to traverse the folder.
  chmodSync(folder, 0o711)
  // Containers often allow no programs there, but tests write some.
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  return spawnSync(program).status === 0 ? folder : undefined
}

/** Runs the tests of some projects; resolves with whether all passed. */
async function runTests(names) {
  const results = join(cacheFolder(), `tests-${names.join('-')}.json`)
  rmSync(results, { force: true })
  const code = await run(node, [
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    'run',
    ...names.flatMap((name) => ['--project', name]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${results}`,
    ...args,
  ])
  count(results, code)
  return code === 0
}

function fail(failure) {
  totals.failed++
  failures.push(failure)
}

/** Adds up Vitest's counts; a run that ended without a report, or with a skipped test, has failed. */
function count(results, exitCode) {
  try {
    const report = JSON.parse(readFileSync(results, 'utf8'))
    totals.passed += report.numPassedTests
    for (const file of report.testResults) {
      const name = relative(root, file.name)
      const missed = file.assertionResults.filter(({ status }) => status !== 'passed')
      // The first one says all: in a journey the others often only follow from it.
      for (const [index, { fullName, status, failureMessages }] of missed.entries())
        fail(`${name}: ${fullName}: ${firstLines(failureMessages?.[0] ?? status, index === 0 ? 100 : 4)}`)
      if (file.status === 'failed' && missed.length === 0) fail(`${name}: ${firstLines(file.message)}`)
    }
    if (exitCode !== 0 && failures.length === 0) fail('Vitest ended with an error, see above')
  } catch (error) {
    fail(`Vitest left no report: ${error.message}`)
  }
}

function firstLines(message, most = 8) {
  return message.split('\n').slice(0, most).join('\n    ')
}
