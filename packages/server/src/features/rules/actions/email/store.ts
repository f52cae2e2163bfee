import type { recipientStates } from '@leitstand/contract/ruleMails'
import { sql } from 'kysely'
import { accountsBelow, accountsUp } from '../../../../platform/db/accountTree.ts'
import { anyOf, type Executor } from '../../../../platform/db/index.ts'
import type { Bucket, Rate } from '../../../../platform/tokenBucket.ts'

export type RecipientState = (typeof recipientStates)[number]

/** Maximum addresses that an account may invite. */
const recipientsOfAccountMax = 1000

/**
 * Reads budgets and locks them until the transaction ends, always in the same order; unused budgets are full.
 */
export async function lockBudgets(
  tx: Executor,
  rates: ReadonlyMap<string, Rate>,
  now: Date,
): Promise<Map<string, Bucket>> {
  const keys = [...rates.keys()].sort()
  if (keys.length === 0) return new Map()
  const bursts = keys.map((key) => rates.get(key)?.burst ?? 0)
  await sql`
    insert into mail_budgets (key, tokens, at)
    select key, tokens, ${now} from unnest(${keys}::text[], ${bursts}::float8[]) as k (key, tokens)
    on conflict do nothing`.execute(tx)
  const { rows } = await sql<{ key: string; tokens: number; at: Date }>`
    select key, tokens, at from mail_budgets where key = any(${keys}::text[]) order by key for update`.execute(
    tx,
  )
  return new Map(rows.map(({ key, tokens, at }) => [key, { tokens, atMs: at.getTime() }]))
}

export async function saveBudgets(
  tx: Executor,
  changes: readonly { key: string; tokens: number; at: Date }[],
): Promise<void> {
  if (changes.length === 0) return
  await sql`
    update mail_budgets b set tokens = n.tokens, at = n.at
    from unnest(${changes.map(({ key }) => key)}::text[], ${changes.map(({ tokens }) => tokens)}::float8[],
      ${changes.map(({ at }) => at)}::timestamptz[]) as n (key, tokens, at) where b.key = n.key`.execute(tx)
}

export async function deleteOldBudgets(db: Executor, before: Date): Promise<void> {
  await db.deleteFrom('mail_budgets').where('at', '<', before).execute()
}

/** The account a rule belongs to, and the accounts whose limits count its mails. */
export interface Sender {
  name: string
  /** the account right below the topmost one, which counts for all below it; the topmost counts for itself */
  customerId: number
  /** recipients an hour; the customer counts even without a limit of its own */
  counted: { id: number; perHour: number | null }[]
}

/** By account id. */
export async function sendersOf(db: Executor, accountIds: readonly number[]): Promise<Map<number, Sender>> {
  const { rows } = await sql<{ accountId: number; name: string; id: number; perHour: number | null }>`
    select a.id as "accountId", a.name, up.id, limiting.rule_mail_limit as "perHour"
    from accounts a cross join lateral ${accountsUp(sql`a.id`)} up
    join accounts limiting on limiting.id = up.id
    where a.id = ${anyOf(accountIds)} order by a.id, up.distance`.execute(db)
  return new Map(
    [...Map.groupBy(rows, ({ accountId }) => accountId)].map(([accountId, line]) => {
      const customerId = line[Math.max(0, line.length - 2)]?.id ?? accountId
      const counted = line.filter(({ id, perHour }) => id === customerId || perHour !== null)
      return [accountId, { name: line[0]?.name ?? '', customerId, counted }]
    }),
  )
}

export interface RecipientRow {
  id: number
  accountId: number
  address: string
  state: RecipientState
  askedAt: Date | null
}

const recipientColumns = sql`id, account_id as "accountId", address, status as state, asked_at as "askedAt"`

/** What is known about addresses in an account. @param addresses in the form of `mailAddress` */
export async function readRecipients(
  db: Executor,
  accountId: number,
  addresses: readonly string[],
): Promise<Map<string, RecipientRow>> {
  const { rows } = await sql<RecipientRow>`
    select ${recipientColumns} from mail_recipients
    where account_id = ${accountId} and address = any(${[...addresses]}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.address, row]))
}

/**
 * The addresses that belong to active users of the account or of accounts below it, and that these users have
 * verified.
 */
export async function readInsiders(
  db: Executor,
  accountId: number,
  addresses: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select n.name from login_names n join users u on u.id = n.user_id
    where n.name = any(${[...addresses]}::text[]) and login_name(u.email) = n.name and u.active and u.email_proven
      and u.account_id in (select id from ${accountsBelow(accountId)} below)`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/** The verified address of a user. */
export async function ownAddress(db: Executor, userId: number): Promise<string | undefined> {
  const { rows } = await sql<{ address: string }>`
    select login_name(email) as address from users where id = ${userId} and active and email_proven`.execute(
    db,
  )
  return rows[0]?.address
}

/**
 * Adds an address that has not been contacted yet.
 * @returns undefined when it is already known, or the account has too many
 */
export async function insertRecipient(
  tx: Executor,
  accountId: number,
  address: string,
  status: RecipientState,
): Promise<RecipientRow | undefined> {
  const { rows } = await sql<RecipientRow>`
    insert into mail_recipients (account_id, address, status)
    select ${accountId}, ${address}, ${status}
    where (select count(*) from mail_recipients where account_id = ${accountId}) < ${recipientsOfAccountMax}
    on conflict do nothing returning ${recipientColumns}`.execute(tx)
  return rows[0]
}

/** Records a question being sent; the link of the previous one stops working. */
export async function setAsked(
  tx: Executor,
  id: number,
  question: { hash: Buffer; at: Date; endsAt: Date },
): Promise<void> {
  await tx
    .updateTable('mail_recipients')
    .set({ token_hash: question.hash, asked_at: question.at, token_ends_at: question.endsAt })
    .where('id', '=', id)
    .execute()
}

/** The recipient that a link is for, with the account that asks. */
export async function findRecipient(
  db: Executor,
  by: { id: number } | { hash: Buffer; now: Date },
): Promise<(RecipientRow & { accountName: string }) | undefined> {
  const which =
    'id' in by ? sql`r.id = ${by.id}` : sql`r.token_hash = ${by.hash} and r.token_ends_at > ${by.now}`
  const { rows } = await sql<RecipientRow & { accountName: string }>`
    select r.id, r.account_id as "accountId", r.address, r.status as state, r.asked_at as "askedAt",
      a.name as "accountName"
    from mail_recipients r join accounts a on a.id = r.account_id where ${which}`.execute(db)
  return rows[0]
}

export async function setState(tx: Executor, id: number, state: RecipientState, at: Date): Promise<void> {
  await tx
    .updateTable('mail_recipients')
    .set({ status: state, decided_at: at })
    .where('id', '=', id)
    .execute()
}

export interface Held {
  accountId: number
  address: string
  rule: string
}

/** Maximum rule titles listed in a summary. */
const heldRulesMax = 20

/** Counts a mail that was held back. */
export async function addHeld(tx: Executor, { accountId, address, rule }: Held, at: Date): Promise<void> {
  await sql`
    insert into mails_held as h (account_id, address, times, first_at, rules)
    values (${accountId}, ${address}, 1, ${at}, array[${rule}])
    on conflict (account_id, address) do update set times = h.times + 1,
      rules = case when ${rule} = any(h.rules) or cardinality(h.rules) >= ${heldRulesMax} then h.rules
        else h.rules || ${rule}::text end`.execute(tx)
}

/** Removes and returns at most `limit` counts that began before a time. */
export async function takeHeld(
  tx: Executor,
  before: Date,
  max: number,
): Promise<{ accountId: number; address: string; times: number; rules: string[] }[]> {
  const { rows } = await sql<{ accountId: number; address: string; times: number; rules: string[] }>`
    delete from mails_held where (account_id, address) in (
      select account_id, address from mails_held where first_at <= ${before}
      order by first_at limit ${max} for update skip locked)
    returning account_id as "accountId", address, times, rules`.execute(tx)
  return rows
}
