import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { startApp } from '../../test/kit.ts'
import { isSealed, openSecrets, Secrets } from './secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'leitstand-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('what is sealed', () => {
  const secrets = new Secrets('one secret of this installation')
  test('is opened with the same key for the same purpose only, and never looks the same', () => {
    const sealed = secrets.seal('päss 🔑', 'totp:1')
    expect(isSealed(sealed)).toBe(true)
    expect(sealed).not.toContain('päss')
    expect(secrets.seal('päss 🔑', 'totp:1')).not.toBe(sealed)
    expect(secrets.open(sealed, 'totp:1')).toBe('päss 🔑')
    expect(() => secrets.open(sealed, 'totp:2')).toThrow()
    expect(() => new Secrets('another secret of another one').open(sealed, 'totp:1')).toThrow()
  })

  test('is not opened when a single character was changed', () => {
    const sealed = secrets.seal('text', 'x')
    const place = 'sealed:1:'.length
    for (let at = place; at < sealed.length; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'Q' : 'A'}${sealed.slice(at + 1)}`
      // some bits of the last character are unused
      if (
        Buffer.from(changed.slice(place), 'base64url').equals(Buffer.from(sealed.slice(place), 'base64url'))
      )
        continue
      expect(() => secrets.open(changed, 'x')).toThrow()
    }
  })
})

describe('the key', () => {
  test('is made at the first start, for its owner only, and stays', () => {
    const dataDir = join(folder, 'data')
    const sealed = openSecrets({ dataDir }).seal('text', 'x')
    const path = join(dataDir, 'secret.key')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(openSecrets({ dataDir }).open(sealed, 'x')).toBe('text')
    expect(readFileSync(path, 'utf8')).toMatch(/^[\w-]{43}\n$/)
    writeFileSync(path, 'cut')
    expect(() => openSecrets({ dataDir })).toThrow(/bring back its backup/)
  })

  test('is not written when one is configured', () => {
    const dataDir = join(folder, 'other')
    openSecrets({ dataDir, secret: 'a secret from the environment, long enough' })
    expect(existsSync(dataDir)).toBe(false)
  })

  test('that does not fit the database keeps the server from starting', async () => {
    const first = await startApp()
    await first[Symbol.asyncDispose]()
    const second = startApp({
      address: first.address,
      config: { secret: 'not the one it was begun with, but long' },
    })
    await expect(second).rejects.toThrow(/does not fit its database/)
  })
})
