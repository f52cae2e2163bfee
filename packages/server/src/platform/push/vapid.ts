import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import * as z from 'zod'
import { type Executor, jsonb } from '../db/index.ts'
import type { Secrets } from '../secrets.ts'

/** The key that identifies this installation to push services (VAPID, RFC 8292). */
export interface VapidKey {
  /** uncompressed point, base64url; browsers bind their subscriptions to it */
  readonly publicKey: string
  readonly privateKey: KeyObject
}

const settingsKey = 'push.vapid'
const purpose = 'push.vapid'
/** RFC 8292 allows a day at most. */
const validSeconds = 12 * 3600

const Stored = z.object({ sealed: z.string() })

/** The key of this installation; the first call makes it. It is stored encrypted. */
export async function vapidKey(db: Executor, secrets: Secrets): Promise<VapidKey> {
  const read = () =>
    db.selectFrom('settings').select('value').where('key', '=', settingsKey).executeTakeFirst()
  let row = await read()
  if (row === undefined) {
    const made = createECDH('prime256v1')
    made.generateKeys()
    const value = jsonb({ sealed: secrets.seal(made.getPrivateKey('base64url'), purpose) })
    await db
      .insertInto('settings')
      .values({ key: settingsKey, value })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute()
    row = await read()
  }
  return keyOf(secrets.open(Stored.parse(row?.value).sealed, purpose))
}

function keyOf(secret: string): VapidKey {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(secret, 'base64url')
  const point = pair.getPublicKey()
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  const privateKey = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y, d: secret } })
  return { publicKey: point.toString('base64url'), privateKey }
}

/**
 * The header `authorization` for a request to a push service.
 * @param contact `https:` or `mailto:`, whom the service can ask
 */
export function vapidHeader(key: VapidKey, endpoint: string, contact: string, now: Date): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now.getTime() / 1000) + validSeconds,
    sub: contact,
  }
  const data = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(data), { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${data}.${signature.toString('base64url')}, k=${key.publicKey}`
}
