import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { FRAME, readFrames } from './frames.ts'
import { nodeFlags } from './isolation.ts'
import { sandboxModules } from './modules.ts'
import { LIMITS } from './types.ts'

const entry = fileURLToPath(new URL('./sandbox/begin.js', import.meta.url))

it('are all that a sandbox process needs: it starts where Node reads no types', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leitstand-mark-'))
  const mark = openSync(join(folder, 'mark'), 'w+')
  const child = spawn(process.execPath, [...nodeFlags(), '--no-strip-types', entry], {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore', 'pipe', mark],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
    closeSync(mark)
    rmSync(folder, { recursive: true })
  })
  child.stdin?.end(sandboxModules())
  const first = new Promise((resolve) =>
    readFrames(child.stdio[3] as Duplex, LIMITS.frameBytesFrom, (type) => resolve(type)),
  )
  expect(await Promise.race([first, exited])).toBe(FRAME.ready)
})

it('hold no types and are read once', () => {
  const modules = JSON.parse(sandboxModules()) as Record<string, string>
  expect(Object.keys(modules).map((url) => url.slice(url.lastIndexOf('/') + 1))).toContain('isolates.ts')
  expect(Object.values(modules).join('\n')).not.toMatch(/^(?:import type|interface|export interface) /m)
  expect(sandboxModules()).toBe(sandboxModules())
})
