import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type Platform, runServer } from './server.ts'

/** A running platform as a first start leaves it. */
export async function startPlatform(env: Record<string, string> = {}): Promise<Platform> {
  const dataDir = mkdtempSync(join(tmpdir(), 'leitstand-e2e-'))
  // Keeps file owners: as root the database belongs to another user.
  execFileSync('cp', ['-a', `${inject('firstData')}/.`, dataDir])
  const platform = await runServer(dataDir, env)
  return {
    ...platform,
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
