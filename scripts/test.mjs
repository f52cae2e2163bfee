// `npm test`: sets up what the tests need, then check, unit, integration and browser tests.
// `npm run test -- <file>` runs only these files; `--only unit|integration|browser` only one part.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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
const args = process.argv.slice(2)
const only = args.includes('--only') ? args.splice(args.indexOf('--only'), 2)[1] : undefined
if (only !== undefined && !projects.includes(only)) throw new Error(`--only takes ${projects.join(', ')}`)

checkNode()
await installPackages()
const chosen = only === undefined ? projects : [only]
if (chosen.includes('integration') || args.length > 0) {
  await installPrograms([{ programs: ['mosquitto'], package: 'mosquitto' }])
}
if (chosen.includes('browser')) {
  const browsers = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser']
  if (!process.env.CHROMIUM_PATH) await installPrograms([{ programs: browsers, package: 'chromium' }])
  process.env.CHROMIUM_PATH ??= browsers.map(find).find(Boolean)
  await buildConsole()
}

const totals = { passed: 0, failed: 0 }
if (chosen.includes('browser') && args.length === 0) {
  const { code, output } = await capture(node, [join(root, 'packages', 'web', 'scripts', 'check-size.mjs')])
  console.log(`${code === 0 ? '✓' : '✗'} first load of the console\n${output.trimEnd()}`)
  if (code !== 0) totals.failed++
}
if (args.length === 0 && only === undefined) {
  const failed = await check()
  totals.failed += failed
}

const results = join(cacheFolder(), 'tests.json')
rmSync(results, { force: true })
const code = await run(node, [
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  ...chosen.flatMap((project) => ['--project', project]),
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${results}`,
  ...args,
])
count(code)
console.log(`\n${totals.passed} passed, ${totals.failed} failed`)
process.exitCode = totals.failed === 0 && code === 0 ? 0 : 1

/** Adds what Vitest has counted; a run that ended without a report, or with a skipped test, has failed. */
function count(exitCode) {
  try {
    const report = JSON.parse(readFileSync(results, 'utf8'))
    totals.passed += report.numPassedTests
    totals.failed += report.numFailedTests + report.numPendingTests + report.numTodoTests
    if (exitCode !== 0 && report.numFailedTests === 0) totals.failed++
  } catch (error) {
    console.error(`Vitest left no report: ${error.message}`)
    totals.failed++
  }
}
