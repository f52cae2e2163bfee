import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Db, jsonb } from './db/index.ts'
import { StartError } from './errors.ts'

const fileName = 'secret.key'
const marker = 'sealed:1:'
const keyBytes = 32
const ivBytes = 12
const tagBytes = 16
const checkKey = 'secrets.check'

/**
 * Encrypts values that must be read again (second factors, passwords of external brokers) before they are
 * stored: AES-256-GCM, with a key that is never in the database. The purpose is authenticated too, so a
 * sealed text moved to another place cannot be opened.
 */
export class Secrets {
  readonly #sealing: Buffer
  readonly #hashing: Buffer

  /** @param secret anything with enough entropy; keys are derived from it */
  constructor(secret: string | Buffer) {
    this.#sealing = derive(secret, 'seal')
    this.#hashing = derive(secret, 'mac')
  }

  /** @param purpose what the text is for, e.g. `totp:12`; `open` needs the same one */
  seal(text: string, purpose: string): string {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#sealing, iv).setAAD(Buffer.from(purpose))
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return marker + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
  }

  /** @throws Error when it was sealed with another key or for another purpose, or was modified */
  open(sealed: string, purpose: string): string {
    if (!isSealed(sealed)) throw new Error('this text is not sealed')
    const bytes = Buffer.from(sealed.slice(marker.length), 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', this.#sealing, bytes.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
  }

  /** Like `open`, for untrusted input; null where `open` throws. */
  tryOpen(sealed: string, purpose: string): string | null {
    try {
      return this.open(sealed, purpose)
    } catch {
      // Either forged or sealed with an earlier key; the caller treats both alike.
      return null
    }
  }

  /** Keyed hash of a text that is too short for a plain hash. */
  mac(text: string, purpose: string): Buffer {
    return createHmac('sha256', this.#hashing).update(`${purpose}\0${text}`).digest()
  }
}

/** Whether a text has the format that `seal` produces. */
export function isSealed(text: string): boolean {
  return text.startsWith(marker)
}

/**
 * The secret of this installation: the configured one, otherwise from a file in the data folder that the
 * first start creates.
 * @throws StartError when the file cannot be read or created
 */
export function openSecrets({ secret, dataDir }: { secret?: string; dataDir: string }): Secrets {
  return new Secrets(secret ?? secretFile(dataDir))
}

/**
 * Checks that this key can open what is sealed in this database, before anything relies on it.
 * @throws StartError when the database was sealed with another key
 */
export async function checkSecrets(db: Db, secrets: Secrets, dataDir: string): Promise<void> {
  const value = jsonb(secrets.seal('ok', checkKey))
  await db
    .insertInto('settings')
    .values({ key: checkKey, value })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', checkKey)
    .executeTakeFirstOrThrow()
  try {
    secrets.open(String(row.value), checkKey)
  } catch (cause) {
    throw new StartError(
      `The secret of this installation does not fit its database: set LEITSTAND_SECRET to the one it was begun with, or bring back ${join(dataDir, fileName)}.`,
      { cause },
    )
  }
}

/** Created atomically: when two processes start at once, both use the file of the first. */
function secretFile(dataDir: string): Buffer {
  const path = join(dataDir, fileName)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    if (!existsSync(path)) makeSecretFile(path)
  } catch (cause) {
    throw new StartError(`The secret of this installation cannot be written to ${path}.`, { cause })
  }
  const secret = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64url')
  if (secret.length < keyBytes)
    throw new StartError(`${path} does not hold the secret of this installation: bring back its backup.`)
  return secret
}

function makeSecretFile(path: string): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const content = `${randomBytes(keyBytes).toString('base64url')}\n`
    writeFileSync(draft, content, { flag: 'wx', mode: 0o600, flush: true })
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function derive(secret: string | Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'leitstand', use, keyBytes))
}
