import type { AlarmReport, AlarmReportReason, AlarmReportRun } from '@leitstand/contract/alarmReports'
import type { Search } from '@leitstand/contract/search'
import { sql } from 'kysely'
import { anyOf, type Executor } from '../../platform/db/index.ts'
import { matchesTexts } from '../../platform/db/textFilter.ts'
import { nextDue, offsetOf, type Timing } from './times.ts'

/** The unique index on account and title. */
export const reportTitleIndex = 'alarm_reports_title'

type Derived =
  | 'id'
  | 'version'
  | 'accountId'
  | 'accountName'
  | 'groupTitle'
  | 'connectorName'
  | 'nextAt'
  | 'lastSentAt'
  | 'lastState'

/** What users set. */
export type ReportFields = Omit<AlarmReport, Derived | 'groupId'> & { groupId: number }

function select(db: Executor) {
  return db
    .selectFrom('alarm_reports as r')
    .innerJoin('accounts as a', 'a.id', 'r.account_id')
    .leftJoin('smart_groups as g', 'g.id', 'r.group_id')
    .leftJoin('connectors as c', 'c.id', 'r.connector_id')
    .selectAll('r')
    .select(['a.name as account_name', 'g.title as group_title', 'c.name as connector_name'])
    .select(
      sql<AlarmReport['lastState']>`(
        select n.state from alarm_report_runs n where n.report_id = r.id order by n.day desc limit 1)`.as(
        'last_state',
      ),
    )
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number]

function toReport(row: Row): AlarmReport {
  return {
    id: row.id,
    version: row.version,
    accountId: row.account_id,
    accountName: row.account_name,
    title: row.title,
    groupId: row.group_id,
    groupTitle: row.group_title,
    type: row.type as AlarmReport['type'],
    conditions: row.conditions as AlarmReport['conditions'],
    language: row.language as AlarmReport['language'],
    subject: row.subject,
    tables: row.tables as AlarmReport['tables'],
    period: row.period as AlarmReport['period'],
    weekdays: row.weekdays,
    timeZone: row.time_zone,
    recipients: row.recipients,
    connectorId: row.connector_id,
    connectorName: row.connector_name,
    topic: row.topic,
    active: row.active,
    nextAt: row.next_at?.toISOString() ?? null,
    lastSentAt: row.last_sent_at?.toISOString() ?? null,
    lastState: row.last_state,
  }
}

const orders = {
  title: sql`r.title collate natural_order, r.id`,
  '-title': sql`r.title collate natural_order desc, r.id desc`,
  lastSentAt: sql`r.last_sent_at nulls first, r.id`,
  '-lastSentAt': sql`r.last_sent_at desc nulls last, r.id desc`,
} as const

/** A page of the reports in these scopes. */
export async function listReports(
  db: Executor,
  scopeIds: readonly number[],
  asked: { search: Search | null; orderBy: keyof typeof orders; offset: number; limit: number },
): Promise<{ items: AlarmReport[]; total: number }> {
  const found = sql<boolean>`r.scope_id = ${anyOf(scopeIds)} and ${
    asked.search ? matchesTexts([sql`r.title`], asked.search) : sql<boolean>`true`
  }`
  const rows = await select(db)
    .where(found)
    .orderBy(orders[asked.orderBy])
    .offset(asked.offset)
    .limit(asked.limit)
    .execute()
  const { total } = await db
    .selectFrom('alarm_reports as r')
    .where(found)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items: rows.map(toReport), total }
}

/** A report in these scopes; undefined if there is none. */
export async function findReport(
  db: Executor,
  scopeIds: readonly number[],
  id: number,
): Promise<AlarmReport | undefined> {
  const row = await select(db)
    .where('r.id', '=', id)
    .where('r.scope_id', '=', anyOf(scopeIds))
    .executeTakeFirst()
  return row && toReport(row)
}

/** Locks a report until the end of the transaction. */
export async function lockReport(tx: Executor, id: number): Promise<void> {
  await sql`select from alarm_reports where id = ${id} for update`.execute(tx)
}

function columnsOf(fields: ReportFields) {
  return {
    title: fields.title,
    group_id: fields.groupId,
    type: fields.type,
    conditions: [...fields.conditions],
    language: fields.language,
    subject: fields.subject,
    tables: [...fields.tables],
    period: fields.period,
    weekdays: [...fields.weekdays].sort((a, b) => a - b),
    time_zone: fields.timeZone,
    recipients: [...fields.recipients],
    connector_id: fields.connectorId,
    uses_connector: fields.connectorId !== null,
    topic: fields.topic,
    active: fields.active,
  }
}

const timingOf = (id: number, { timeZone, weekdays }: Pick<Timing, 'timeZone' | 'weekdays'>): Timing => ({
  timeZone,
  weekdays,
  offsetS: offsetOf(id),
})

async function setNext(
  tx: Executor,
  id: number,
  fields: Pick<ReportFields, 'active' | 'timeZone' | 'weekdays'>,
  now: Date,
): Promise<void> {
  const nextAt = fields.active ? nextDue(timingOf(id, fields), now) : null
  await tx.updateTable('alarm_reports').set({ next_at: nextAt }).where('id', '=', id).execute()
}

/**
 * @returns its id; undefined when the account has as many as it can have
 * @throws on `reportTitleIndex` if the account already has a report with this title
 */
export async function insertReport(
  tx: Executor,
  { accountId, scopeId }: { accountId: number; scopeId: number },
  fields: ReportFields,
  { now, max }: { now: Date; max: number },
): Promise<number | undefined> {
  // Serialises the reports of an account, so that two calls cannot exceed the limit together.
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx)
  const { total } = await tx
    .selectFrom('alarm_reports')
    .where('account_id', '=', accountId)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  if (total >= max) return undefined
  const { id } = await tx
    .insertInto('alarm_reports')
    .values({
      account_id: accountId,
      scope_id: scopeId,
      ...columnsOf(fields),
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await setNext(tx, id, fields, now)
  return id
}

/** A report that is active stays due when it was. @throws on `reportTitleIndex` */
export async function updateReport(
  tx: Executor,
  before: AlarmReport,
  fields: ReportFields,
  now: Date,
): Promise<void> {
  const { id } = before
  await tx
    .updateTable('alarm_reports')
    .set(({ eb }) => ({ ...columnsOf(fields), updated_at: now, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
  const isSameTime =
    before.timeZone === fields.timeZone &&
    [...before.weekdays].sort().join() === [...fields.weekdays].sort().join()
  if (before.active !== fields.active || !isSameTime) await setNext(tx, id, fields, now)
}

export async function deleteReportRow(tx: Executor, id: number): Promise<void> {
  await tx.deleteFrom('alarm_reports').where('id', '=', id).execute()
}

export async function deleteReportsOf(tx: Executor, accountId: number): Promise<void> {
  await tx.deleteFrom('alarm_reports').where('account_id', '=', accountId).execute()
}

/** A report whose time has come, locked. */
export interface DueReport {
  id: number
  timing: Timing
  nextAt: Date
}

/** Takes reports that are due; others may take the rest at the same time. */
export async function takeDue(tx: Executor, now: Date, limit: number): Promise<DueReport[]> {
  const rows = await tx
    .selectFrom('alarm_reports')
    .select(['id', 'time_zone', 'weekdays', 'next_at'])
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map((row) => ({
    id: row.id,
    timing: timingOf(row.id, { timeZone: row.time_zone, weekdays: row.weekdays }),
    nextAt: row.next_at as Date,
  }))
}

/** Notes the days of a report: one that was planned already stays as it is. */
export async function planRuns(
  tx: Executor,
  reportId: number,
  { missed, today, nextAt }: { missed: readonly string[]; today: string | null; nextAt: Date },
  now: Date,
): Promise<void> {
  const runs = [
    ...missed.map((day) => ({ day, state: 'missed', try_at: null })),
    ...(today === null ? [] : [{ day: today, state: 'waiting', try_at: now }]),
  ]
  if (runs.length > 0)
    await tx
      .insertInto('alarm_report_runs')
      .values(runs.map((run) => ({ report_id: reportId, at: now, ...run })))
      .onConflict((conflict) => conflict.columns(['report_id', 'day']).doNothing())
      .execute()
  await tx.updateTable('alarm_reports').set({ next_at: nextAt }).where('id', '=', reportId).execute()
}

/** A run that an attempt is made at. */
export interface ClaimedRun {
  id: number
  report: AlarmReport
  /** also when that was deleted */
  usesConnector: boolean
  /** when it was looked at last, whether or not it was sent then; null: never */
  since: Date | null
  /** of this attempt; another one has another number */
  attempt: number
}

/** Claims the next run that waits, until a time. */
export async function claimRun(db: Executor, now: Date, until: Date): Promise<ClaimedRun | undefined> {
  const { rows } = await sql<{ id: number; reportId: number; attempt: number }>`
    update alarm_report_runs set try_at = ${until}, attempts = attempts + 1
    where id = (select id from alarm_report_runs where try_at <= ${now} order by try_at, id limit 1
      for update skip locked)
    returning id, report_id as "reportId", attempts as attempt`.execute(db)
  const [run] = rows
  if (run === undefined) return undefined
  const row = await select(db).where('r.id', '=', run.reportId).executeTakeFirst()
  const last = await db
    .selectFrom('alarm_report_runs')
    .where('report_id', '=', run.reportId)
    .where('state', 'in', ['sent', 'nothing'])
    .select(({ fn }) => fn.max('at').as('at'))
    .executeTakeFirst()
  return (
    row && {
      id: run.id,
      attempt: run.attempt,
      report: toReport(row),
      usesConnector: row.uses_connector,
      since: last?.at ?? null,
    }
  )
}

/** What became of a run. */
export interface Outcome {
  state: 'sent' | 'nothing' | 'failed'
  reason: AlarmReportReason | null
  recipients: number
  refused: number
  throughConnector: boolean
  html: string | null
  pdf: Buffer | null
}

/** Locks a run that this attempt has claimed. @returns whether it is still its own */
export async function holdRun(tx: Executor, { id, attempt }: ClaimedRun): Promise<boolean> {
  const { rows } = await sql`
    select from alarm_report_runs where id = ${id} and state = 'waiting' and attempts = ${attempt} for update`.execute(
    tx,
  )
  return rows.length > 0
}

/** Stores what became of a run, which is not tried again. @param at the time it is about */
export async function endRun(
  tx: Executor,
  { id, report }: ClaimedRun,
  { throughConnector, ...outcome }: Outcome,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('alarm_report_runs')
    .set({ ...outcome, through_connector: throughConnector, try_at: null, at })
    .where('id', '=', id)
    .execute()
  if (outcome.state === 'sent')
    await tx.updateTable('alarm_reports').set({ last_sent_at: at }).where('id', '=', report.id).execute()
}

/** Tries a run again at a time. */
export async function retryRun(db: Executor, { id, attempt }: ClaimedRun, at: Date): Promise<void> {
  await sql`update alarm_report_runs set try_at = ${at}
    where id = ${id} and state = 'waiting' and attempts = ${attempt}`.execute(db)
}

/** When something is to be done next; null: never. */
export async function nextAt(db: Executor): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select least((select min(next_at) from alarm_reports), (select min(try_at) from alarm_report_runs)) as at`.execute(
    db,
  )
  return rows[0]?.at ?? null
}

/** What became of a report, newest first. */
export async function listRuns(
  db: Executor,
  reportId: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ items: AlarmReportRun[]; total: number }> {
  const rows = await db
    .selectFrom('alarm_report_runs')
    .where('report_id', '=', reportId)
    .select(['id', 'day', 'state', 'reason', 'at', 'recipients', 'refused', 'through_connector'])
    .select([
      sql<number | null>`octet_length(html)`.as('html_bytes'),
      sql<number | null>`octet_length(pdf)`.as('pdf_bytes'),
    ])
    .orderBy('day', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
  const items = rows.map(
    (row): AlarmReportRun => ({
      id: row.id,
      day: row.day,
      state: row.state as AlarmReportRun['state'],
      reason: row.reason as AlarmReportRun['reason'],
      at: row.at.toISOString(),
      recipients: row.recipients,
      refused: row.refused,
      throughConnector: row.through_connector,
      bytes:
        row.html_bytes === null || row.pdf_bytes === null
          ? null
          : { html: row.html_bytes, pdf: row.pdf_bytes },
    }),
  )
  const { total } = await db
    .selectFrom('alarm_report_runs')
    .where('report_id', '=', reportId)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { items, total }
}

/** What a run has sent; undefined: there is none any more. */
export async function findFiles(
  db: Executor,
  reportId: number,
  runId: number,
): Promise<{ day: string; html: string; pdf: Buffer } | undefined> {
  const row = await db
    .selectFrom('alarm_report_runs')
    .where('id', '=', runId)
    .where('report_id', '=', reportId)
    .select(['html', 'pdf', 'day'])
    .executeTakeFirst()
  if (!row || row.html === null || row.pdf === null) return undefined
  return { day: row.day, html: row.html, pdf: row.pdf }
}

/** Deletes what runs have sent before a time, at most `limit`. @returns how many */
export async function dropFiles(db: Executor, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update alarm_report_runs set html = null, pdf = null where id = any(array(
      select id from alarm_report_runs where at < ${before} and html is not null limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Deletes runs of an account's reports before a time, at most `limit`. @returns how many */
export async function deleteOldRuns(
  tx: Executor,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from alarm_report_runs where id = any(array(
      select n.id from alarm_report_runs n join alarm_reports r on r.id = n.report_id
      where r.account_id = ${accountId} and n.at < ${before} and n.try_at is null limit ${limit}))`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}

/** The address of a user. */
export async function addressOf(db: Executor, userId: number): Promise<string> {
  const { email } = await db
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return email
}
