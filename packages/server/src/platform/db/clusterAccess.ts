import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartError } from '../errors.ts'
import type { Identity } from './binaries.ts'
import type { ClusterConnection } from './ownership.ts'

const passwordPattern = /^[0-9a-f]{64}$/
const heading = '# Written by Leitstand at its start; changes are lost.\n'
const closedRules = `${heading}local all all scram-sha-256\n`
const openRules = `${heading}local all all trust\n`
/** The database reloads its access rules with a short delay. */
const closedWithinMs = 10_000
const pollMs = 20

interface Place {
  dataDir: string
  /** folder of the cluster */
  cluster: string
  identity: Identity
}

/**
 * Access to the embedded database: a client must be able to reach its socket, which only the owner can, and
 * know its password, which is in `DATA_DIR/postgres.password`.
 *
 * States: open (no password required) → closed. A cluster is open while it is new, comes from a version
 * before this one, or has lost its password file; each start that finds it open sets the password and closes
 * it. A crash in between leaves it open, and the next start repeats this.
 */
export class ClusterAccess {
  readonly password: string
  readonly #place: Place
  #isOpen: boolean

  constructor(place: Place) {
    this.#place = place
    const known = readPassword(place.dataDir)
    this.password = known ?? randomBytes(32).toString('hex')
    if (known === undefined) writeWhole(passwordFile(place.dataDir), this.password, 0o600)
    this.#isOpen = known === undefined || readFileSync(this.#rules, 'utf8') !== closedRules
    if (this.#isOpen) this.open()
  }

  /** Lets everyone who can reach the socket in, once the database has reloaded its access rules. */
  open(): void {
    this.#isOpen = true
    this.#write(openRules)
  }

  /**
   * Sets the password and requires it from now on.
   * @throws StartError when the database still accepts connections without it
   */
  async close(connection: ClusterConnection): Promise<void> {
    if (!this.#isOpen) return
    const client = new pg.Client({ ...connection, database: 'postgres' })
    await client.connect()
    try {
      await client.query(`set password_encryption = 'scram-sha-256'`)
      await client.query(`alter role current_user password '${this.password}'`)
      this.#write(closedRules)
      await client.query('select pg_reload_conf()')
    } finally {
      await client.end()
    }
    for (const deadline = Date.now() + closedWithinMs; await letsAnybodyIn(connection); await delay(pollMs))
      if (Date.now() > deadline) throw new StartError('The database does not ask for its password.')
    this.#isOpen = false
  }

  get #rules(): string {
    return join(this.#place.cluster, 'pg_hba.conf')
  }

  #write(text: string): void {
    const { identity } = this.#place
    writeWhole(this.#rules, text, 0o600, identity.kind === 'user' ? identity : undefined)
  }
}

/** The password of a data folder's database; undefined if there is none. */
export function readPassword(dataDir: string): string | undefined {
  const file = passwordFile(dataDir)
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return passwordPattern.test(text) ? text : undefined
}

function passwordFile(dataDir: string): string {
  return join(dataDir, 'postgres.password')
}

async function letsAnybodyIn(connection: ClusterConnection): Promise<boolean> {
  const client = new pg.Client({ ...connection, password: '', database: 'postgres' })
  client.on('error', () => undefined) // connect() reports the failure
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Writes the file atomically, so that it is complete even after a power cut. */
function writeWhole(path: string, text: string, mode: number, owner?: { uid: number; gid: number }): void {
  const fresh = `${path}.new`
  const file = openSync(fresh, 'w', mode)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  chmodSync(fresh, mode)
  if (owner) chownSync(fresh, owner.uid, owner.gid)
  renameSync(fresh, path)
}
