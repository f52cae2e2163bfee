import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'oidc-provider'
import type { Context } from '../../platform/context.ts'
import { deleteOtherKeys, insertSigningKey, listSigningKeys, type SigningKeyRow } from './keys.store.ts'

const dayMs = 24 * 3_600_000
/** How long a key signs until a new one replaces it. */
const signsForMs = 90 * dayMs
/** How much longer a key is published, until everything it signed has expired. */
const publishedOnMs = 7 * dayMs
const rsaBits = 2048

type Parts = Pick<Context, 'db' | 'clock' | 'secrets'>

const purposeOf = (keyId: string) => `oauth key:${keyId}`

/** The keys of ID tokens, the current signing key first; the first call in an installation creates one. */
export async function signingKeys({ db, clock, secrets }: Parts): Promise<JWK[]> {
  const rows = await db.transaction().execute(async (tx) => {
    const known = await listSigningKeys(tx)
    if (known.length > 0) return known
    await insertSigningKey(tx, await makeKey({ clock, secrets }))
    return listSigningKeys(tx)
  })
  return rows.map(({ keyId, privateKey }) => ({
    ...(JSON.parse(secrets.open(privateKey, purposeOf(keyId))) as JWK),
    kid: keyId,
    use: 'sig',
    alg: 'RS256',
  }))
}

/**
 * Adds a new signing key when the newest is old enough, and deletes keys no longer needed for verification.
 */
export async function renewKeys({ db, clock, secrets }: Parts): Promise<void> {
  const now = clock.now().getTime()
  await db.transaction().execute(async (tx) => {
    const [newest] = await listSigningKeys(tx)
    // No keys yet: the provider has not been used.
    if (!newest) return
    const ageMs = now - newest.createdAt.getTime()
    if (ageMs >= signsForMs) await insertSigningKey(tx, await makeKey({ clock, secrets }))
    else if (ageMs >= publishedOnMs) await deleteOtherKeys(tx, newest.keyId)
  })
}

async function makeKey({ clock, secrets }: Pick<Parts, 'clock' | 'secrets'>): Promise<SigningKeyRow> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: rsaBits })
  const keyId = randomBytes(12).toString('base64url')
  const text = JSON.stringify(privateKey.export({ format: 'jwk' }))
  return { keyId, privateKey: secrets.seal(text, purposeOf(keyId)), createdAt: clock.now() }
}
