// `npm run check`: all static checks of the code.
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cacheFolder, capture, checkNode, installPackages, node, root } from './lib.mjs'

const bin = (...parts) => [node, join(root, 'node_modules', ...parts)]

/** name, command; made when they run, because the packages may not be installed before */
const checks = () => [
  ['format and lint', [...bin('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.']],
  ...['packages/contract', 'packages/server', 'packages/web', 'packages/bench', 'e2e'].map((folder) => [
    `types of ${folder}`,
    [
      ...bin('typescript', 'bin', 'tsc'),
      ...[
        '-p',
        folder,
        '--incremental',
        '--tsBuildInfoFile',
        join(cacheFolder(), `types-${basename(folder)}.json`),
      ],
    ],
  ]),
  [
    'import directions',
    [
      ...bin('dependency-cruiser', 'bin', 'dependency-cruiser.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      'packages',
      'e2e',
    ],
  ],
  ['unused files, exports and packages', [...bin('knip', 'bin', 'knip.js'), '--no-progress']],
  ['numbers of migrations', [node, join(root, 'scripts', 'check-migrations.mjs')]],
  ['texts in German and English', [node, join(root, 'packages', 'web', 'scripts', 'check-locales.mjs')]],
]

/** Checks run in parallel: most keep one core busy, and some use a lot of memory. */
const atOnce = 2

/** Runs all checks and prints their output. Resolves with the names of those that failed. */
export async function check() {
  const left = checks()
  const failed = []
  const runNext = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [name, [command, ...args]] = next
      const { code, output } = await capture(command, args)
      console.log(`${code === 0 ? '✓' : '✗'} ${name}`)
      if (code === 0) continue
      failed.push(name)
      console.log(output.trimEnd())
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runNext))
  return failed
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  checkNode()
  await installPackages()
  process.exitCode = (await check()).length === 0 ? 0 : 1
}
