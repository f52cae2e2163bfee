// Shared by start, test and the other scripts. Needs only Node and npm.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isWindows = process.platform === 'win32'

/** Node 24 from the npm package `node`. */
export const node = join(root, 'node_modules', 'node', 'bin', isWindows ? 'node.exe' : 'node')

/** Prints a sentence the user can act on and ends the process. */
export function fail(sentence) {
  console.error(`\n${sentence}\n`)
  process.exit(1)
}

/** Fails if Node is too old to start anything. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  fail(`Leitstand needs Node 20.19 or newer; this is ${process.versions.node}. See https://nodejs.org`)
}

/** Runs a command and resolves with its exit code. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: 'inherit',
      ...options,
      env: environment(options.env),
    })
    // Let the child stop first: it may have a database to stop.
    const end = () => {
      child.once('exit', () => process.exit(143))
      child.kill('SIGTERM')
    }
    process.once('SIGTERM', end)
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      process.off('SIGTERM', end)
      resolve(signal === null ? (code ?? 1) : 1)
    })
  })
}

/** Runs a tool of node_modules/.bin with Node 24. */
export function runTool(name, args, options = {}) {
  return run(join(root, 'node_modules', '.bin', isWindows ? `${name}.cmd` : name), args, {
    shell: isWindows,
    ...options,
  })
}

/** The environment with Node 24 and the project's tools first in the PATH. */
export function environment(extra = {}) {
  const path = [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter)
  return {
    ...process.env,
    PATH: path,
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
    ...extra,
  }
}

/**
 * Node's options of the server. With one or two processors V8 gets one helper thread instead of four: together the
 * helpers would keep the event loop from running while they collect garbage. Room for 64 MB of new objects makes collections
 * rarer: fewer objects of requests in progress are copied.
 */
export function serverOptions() {
  const own = ['--max-semi-space-size=64', ...(availableParallelism() <= 2 ? ['--v8-pool-size=1'] : [])]
  return { NODE_OPTIONS: [...own, process.env.NODE_OPTIONS ?? ''].join(' ').trim() }
}

/** Where the scripts report progress. */
let progress = process.stdout

/** Sends progress to stderr, so that stdout holds only the output of the benchmark. */
export function sayBeside() {
  progress = process.stderr
}

/** Prints the current step and, on a terminal, how long it has taken so far. */
export async function step(sentence, work) {
  const started = Date.now()
  const seconds = () => `${((Date.now() - started) / 1000).toFixed(1)} s`
  const isTerminal = progress.isTTY
  if (!isTerminal) progress.write(`${sentence} …\n`)
  const timer = isTerminal
    ? setInterval(() => progress.write(`\r${sentence} … ${seconds()} `), 200)
    : undefined
  try {
    const result = await work()
    clearInterval(timer)
    if (isTerminal) progress.write(`\r${sentence} … ${seconds()}, done\n`)
    return result
  } catch (error) {
    clearInterval(timer)
    if (isTerminal) progress.write('\n')
    throw error
  }
}

/** Installs the packages when the lock file has changed since they were installed. */
export async function installPackages() {
  const marker = join(root, 'node_modules', '.installed-from')
  const wanted = hashOf([join(root, 'package-lock.json')])
  if (existsSync(node) && readIfThere(marker) === wanted) return
  await step('Installing packages (the first time this takes one to two minutes)', async () => {
    const { code, output } = await capture(isWindows ? 'npm.cmd' : 'npm', [
      'ci',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ])
    if (code !== 0) fail(`The packages could not be installed:\n${output}`)
    if (!existsSync(node)) {
      fail(
        'Node 24 could not be installed: the npm package `node` needs its install script. Allow install scripts and try again.',
      )
    }
    writeFileSync(marker, wanted)
  })
}

/** Builds the console when its sources have changed since the last build. */
export async function buildConsole() {
  const web = join(root, 'packages', 'web')
  const marker = join(web, 'dist', '.built-from')
  const wanted = hashOf([
    ...filesBelow(join(web, 'src')),
    ...filesBelow(join(web, 'public')),
    ...filesBelow(join(web, 'build')),
    ...filesBelow(join(root, 'packages', 'contract', 'src')),
    ...['index.html', 'vite.config.ts', 'postcss.config.mjs', 'package.json'].map((name) => join(web, name)),
    join(root, 'package-lock.json'),
  ])
  if (readIfThere(marker) === wanted) return
  await step('Building the console', async () => {
    const { code, output } = await capture(
      node,
      [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'],
      web,
    )
    if (code !== 0) fail(`The console could not be built:\n${output}`)
    writeFileSync(marker, wanted)
  })
}

/** Path of a program in the PATH or in the folders where Debian installs servers, or undefined. */
export function find(program) {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']) {
    const path = join(folder, program)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // not in this folder; try the next
    }
  }
  return undefined
}

/**
 * Programs the tests need from the system, by Debian package. Installs missing ones where possible,
 * otherwise prints what to install and fails.
 * @param needs `{ program: [names], package }`
 */
export async function installPrograms(needs) {
  const missing = needs.filter(({ programs }) => !programs.some((program) => find(program)))
  if (missing.length === 0) return
  const packages = missing.map((need) => need.package)
  const sentence = `The tests need ${packages.join(' and ')}. Install ${packages.length === 1 ? 'it' : 'them'} with: sudo apt-get install ${packages.join(' ')}`
  const isRoot = process.getuid?.() === 0
  const sudo = isRoot
    ? []
    : find('sudo') && spawnSync('sudo', ['-n', 'true']).status === 0
      ? ['sudo', '-n']
      : undefined
  if (!find('apt-get') || sudo === undefined) fail(sentence)
  await step(`Installing ${packages.join(', ')}`, async () => {
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    const call = (args) =>
      capture(
        sudo[0] ?? 'apt-get',
        [...(sudo.length > 0 ? [...sudo.slice(1), 'apt-get'] : []), ...args],
        root,
        env,
      )
    await call(['update'])
    const { code, output } = await call(['install', '-y', '--no-install-recommends', ...packages])
    if (code !== 0) fail(`${sentence}\n${output}`)
  })
}

/** Runs a command quietly; its output is only shown if it fails. */
export function capture(command, args, cwd = root, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: environment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: isWindows,
    })
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }))
  })
}

function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files.toSorted())
    hash.update(file.slice(root.length)).update(existsSync(file) ? readFileSync(file) : '')
  return hash.digest('hex')
}

function filesBelow(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** The folder for files the scripts generate. */
export function cacheFolder() {
  const folder = join(root, 'node_modules', '.cache', 'leitstand')
  mkdirSync(folder, { recursive: true })
  return folder
}
