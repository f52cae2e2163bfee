import { hash, randomBytes } from 'node:crypto'
import type { ConnectorKey } from '@leitstand/contract/bridge'
import type { KeyRow } from '../store/keys.ts'

const keyBytes = 24
const hintChars = 4

/** A newly created key. Its text is shown once and not stored. */
export interface MadeKey {
  readonly key: string
  readonly hash: Buffer
  readonly hint: string
}

/** 192 random bits. */
export function newKey(): MadeKey {
  const key = randomBytes(keyBytes).toString('base64url')
  return { key, hash: hash('sha256', key, 'buffer'), hint: key.slice(-hintChars) }
}

/** Keys are looked up by hash, so that timing does not reveal how much of a key was correct. */
export function digestOf(key: string): string {
  return hash('sha256', key, 'base64')
}

/** Keys that have not expired. */
export function workingKeys(keys: readonly KeyRow[], now: Date): KeyRow[] {
  return keys.filter(({ endsAt }) => endsAt === null || endsAt > now)
}

export function shownKey({ id, hint, createdAt, endsAt, lastUsedAt }: KeyRow): ConnectorKey {
  return {
    id,
    hint,
    createdAt: createdAt.toISOString(),
    endsAt: endsAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}
