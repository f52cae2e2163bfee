import { sql } from 'kysely'
import { accountsUp } from '../db/accountTree.ts'
import type { Executor } from '../db/index.ts'
import type { Secrets } from '../secrets.ts'
import type { MailServer } from './transport.ts'

/** The mail server of an account as stored in the table. */
export interface StoredServer {
  accountId: number
  host: string
  port: number
  security: 'none' | 'starttls' | 'tls'
  user: string
  /** encrypted */
  password: string | null
  senderName: string
  senderAddress: string
}

/** The mail server of an account, or the nearest one above it. */
export async function findServer(db: Executor, accountId: number | null): Promise<StoredServer | undefined> {
  const [nearest] = await findServers(db, accountId)
  return nearest
}

/** The mail servers of an account and its ancestors, nearest first. */
export async function findServers(db: Executor, accountId: number | null): Promise<StoredServer[]> {
  if (accountId === null) return []
  const { rows } = await sql<StoredServer>`
    select m.account_id as "accountId", m.host, m.port, m.security, m.username as user, m.password,
      m.sender_name as "senderName", m.sender_address as "senderAddress"
    from ${accountsUp(accountId)} up join account_mail_servers m on m.account_id = up.id order by up.distance`.execute(
    db,
  )
  return rows
}

/** @param server null: the account no longer has its own */
export async function storeServer(
  tx: Executor,
  accountId: number,
  server: Omit<StoredServer, 'accountId'> | null,
): Promise<void> {
  if (server === null) {
    await tx.deleteFrom('account_mail_servers').where('account_id', '=', accountId).execute()
    return
  }
  const row = {
    host: server.host,
    port: server.port,
    security: server.security,
    username: server.user,
    password: server.password,
    sender_name: server.senderName,
    sender_address: server.senderAddress,
  }
  await tx
    .insertInto('account_mail_servers')
    .values({ account_id: accountId, ...row })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(row))
    .execute()
}

/** The purpose for encrypting the password of an account's mail server. */
export function passwordPurpose(accountId: number): string {
  return `mail server:${accountId}`
}

/** A stored server with its decrypted password, ready for sending. */
export function opened(stored: StoredServer, secrets: Secrets): MailServer {
  const { host, port, security, user, password, senderName: name, senderAddress: address } = stored
  return {
    host,
    port,
    security,
    user,
    sender: { name, address },
    password: password === null ? '' : secrets.open(password, passwordPurpose(stored.accountId)),
  }
}

/** The configured server (`smtp://user:password@host:port`, `smtps:` for TLS from the start). */
export function serverOf(smtpUrl: string, sender: string): MailServer {
  const url = new URL(smtpUrl)
  const secure = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    security: secure ? 'tls' : 'auto',
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    sender,
  }
}
