import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const dataDir = mkdtempSync(join(tmpdir(), 'leitstand-npm-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

test('a SIGTERM to npm leaves no server behind', { timeout: 180_000 }, async () => {
  const npm = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: dataDir, DATA_DIR: dataDir, PORT: '0', MQTT_PORT: '0', DEMO: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    npm.stdout.on('data', (chunk: Buffer) => {
      printed += chunk
      const found = /"url":"([^"]+)"/.exec(printed)?.[1]
      if (found) resolve(found)
    })
    npm.once('exit', () => reject(new Error(printed)))
  })
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  npm.removeAllListeners('exit')
  npm.kill('SIGTERM')
  // The output closes when the last program that writes to it has ended.
  await once(npm, 'close')
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
})

test('what a benchmark does before it measures is not said on its output', async () => {
  const lib = JSON.stringify(pathToFileURL(join(root, 'scripts/lib.mjs')).href)
  const script = `import { sayBeside, step } from ${lib}
    sayBeside()
    await step('Building the console', async () => undefined)
    console.log('{}')`
  const bench = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect(await text(bench.stdout)).toBe('{}\n')
})
