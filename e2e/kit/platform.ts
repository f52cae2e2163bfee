import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { adminName, type Place, type Platform, platformAt, runServer } from './server.ts'
import { callerOf, thingsFor } from './things.ts'

/** A running platform of its own as a first start leaves it. */
export async function startPlatform(
  env: Record<string, string> = {},
): Promise<Platform & { username: string }> {
  return { ...(await startOn(inject('firstData'), env)), username: adminName }
}

/** @param first a data folder, which is copied */
export async function startOn(first: string, env: Record<string, string> = {}): Promise<Platform & Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'leitstand-e2e-'))
  // Keeps file owners: as root the database belongs to another user.
  execFileSync('cp', ['-a', `${first}/.`, dataDir])
  const platform = await runServer(dataDir, env)
  return {
    ...platform,
    dataDir,
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The shared platform, whose `login()` is by default that of the administrator of a new account. */
export async function joinPlatform(name: string): Promise<Platform & { username: string }> {
  const platform = platformAt(inject('sharedPlace'))
  const admin = callerOf(platform, await platform.login())
  const { tenantId } = await admin.get<{ tenantId: number }>('/auth/verify')
  const make = thingsFor(admin, tenantId)
  const account = await make.account(name)
  const roles = await admin.get<{ items: { id: number; isSuper: boolean }[] }>('/acl/role')
  const role = roles.items.find(({ isSuper }) => isSuper)
  if (!role) throw new Error('there is no role of the administrator')
  const username = `${name.toLowerCase()}@example.org`
  const { id } = await make.user(username, account, role.id, { email: username })
  // The same password as the administrator's, without a mail and without hashing it once more.
  await platform.fill(
    `update users set password_hash = (select password_hash from users where username = '${adminName}') where id = ${id}`,
  )
  return {
    ...platform,
    username,
    login: (who = username) => platform.login(who),
    // Ends with the run.
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
