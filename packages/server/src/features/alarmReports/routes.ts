import { type AlarmReport, alarmReportLimits } from '@leitstand/contract/alarmReports'
import { parseSearch } from '@leitstand/contract/search'
import { Allowance } from '../../platform/allowance.ts'
import type { Context } from '../../platform/context.ts'
import { type Executor, violatedUnique } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { dispositionOf } from '../../platform/http/disposition.ts'
import { os } from '../../platform/http/implement.ts'
import { requireAccount } from '../accounts/index.ts'
import { recordActivity } from '../activity/index.ts'
import { findGroupWithin, type GroupRow, requireGroup } from '../groups/index.ts'
import { userIdOf } from '../people/index.ts'
import { changesOf } from '../twins/index.ts'
import { metConditions, readContent } from './content.ts'
import { mailOf } from './mail.ts'
import { pageOf } from './page.ts'
import { pdfOf } from './pdf/index.ts'
import { fileNameOf, type SendingParts } from './send.ts'
import {
  addressOf,
  deleteReportRow,
  findFiles,
  findReport,
  insertReport,
  listReports,
  listRuns,
  lockReport,
  type ReportFields,
  reportTitleIndex,
  updateReport,
} from './store.ts'
import { wordsIn } from './texts.ts'

/** Tests of a user: mails, and looks without a mail. */
const testRates = {
  sent: { perSecond: 20 / 3600, burst: 10 },
  seen: { perSecond: 0.5, burst: 30 },
} as const

/** Operations on alarm reports. */
export function reportRoutes(ctx: Context, parts: SendingParts) {
  const { db, clock, mail, brands } = ctx
  const sent = new Allowance<string>(testRates.sent)
  const seen = new Allowance<string>(testRates.seen)
  return {
    list: os.alarmReports.list.handler(async ({ input, context: { caller } }) => {
      const { search, order_by: orderBy, offset, limit } = input
      const asked = { search: parseSearch(search), orderBy, offset, limit }
      return { ...(await listReports(db, managedScopes(caller), asked)), offset, limit }
    }),
    get: os.alarmReports.get.handler(({ input, context: { caller } }) => requireReport(db, caller, input.id)),
    create: os.alarmReports.create.handler(async ({ input, context: { caller } }) => {
      const { accountId, ...fields } = input
      const id = await unlessTaken(db, async (tx) => {
        const account = await requireAccount(tx, accountId, managedScopes(caller))
        await check(tx, parts, { caller, accountId }, fields)
        const { ofAccountMax: max } = alarmReportLimits
        const place = { accountId, scopeId: account.scopeId }
        const made = await insertReport(tx, place, fields, { now: clock.now(), max })
        if (made === undefined) throw new AppError('ALARM_REPORT_LIMIT', { max })
        await parts.rules.introduce(tx, caller, accountId, fields.recipients)
        await note(tx, caller, 'create', { id: made, title: fields.title, accountId })
        return made
      })
      return requireReport(db, caller, id)
    }),
    update: os.alarmReports.update.handler(async ({ input, context: { caller } }) => {
      const { id, version, ...fields } = input
      await unlessTaken(db, async (tx) => {
        await lockReport(tx, id)
        const before = await requireReport(tx, caller, id)
        if (before.version !== version) throw new AppError('VERSION_CONFLICT', { id, version })
        const { accountId } = before
        await check(tx, parts, { caller, accountId }, fields)
        await updateReport(tx, before, fields, clock.now())
        await parts.rules.introduce(tx, caller, accountId, fields.recipients)
        const changes = changesOf(fieldsOf(before), { ...fields })
        await note(tx, caller, 'update', { id, title: fields.title, accountId }, changes)
      })
      return requireReport(db, caller, id)
    }),
    delete: os.alarmReports.delete.handler(async ({ input: { id }, context: { caller } }) => {
      await db.transaction().execute(async (tx) => {
        await lockReport(tx, id)
        const report = await requireReport(tx, caller, id)
        await deleteReportRow(tx, id)
        await note(tx, caller, 'delete', report)
      })
      return { ok: true } as const
    }),
    test: os.alarmReports.test.handler(async ({ input, context: { caller } }) => {
      const { accountId, send, ...fields } = input
      await requireAccount(db, accountId, managedScopes(caller))
      const group = await requireGroupOf(db, caller, { accountId, groupId: fields.groupId })
      const userId = send ? userIdOf(caller) : null
      spend(send ? sent : seen, caller.userId ?? caller.name)
      const now = clock.now()
      const content = await readContent(db, group, fields, { now, since: null })
      const met = metConditions(fields.conditions, content.figures)
      const subject = send ? `[${wordsIn(fields.language).test}] ${fields.subject}` : fields.subject
      const presence = await brands.of(db, accountId)
      const page = pageOf(content, fields, { subject, met, presence })
      const { kind, ...said } = mailOf(page)
      const shown = await mail.render(db, kind, { ...said, accountId }, presence)
      const result = { ...shown, met: met.length > 0 }
      if (userId === null) return { ...result, sentTo: null, pdf: null }
      const pdf = await pdfOf(page, now)
      const sentTo = await db.transaction().execute(async (tx) => {
        const address = await addressOf(tx, userId)
        const attachment = { name: `${fileNameOf(fields.title)}.pdf`, type: 'application/pdf', bytes: pdf }
        await mail.write(tx, kind, {
          ...said,
          accountId,
          recipients: [address],
          attachments: [attachment],
          origin: { test: 'alarmReport' },
        })
        return address
      })
      return { ...result, sentTo, pdf: pdf.toString('base64') }
    }),
    runs: os.alarmReports.runs.handler(async ({ input, context: { caller } }) => {
      const { id, offset, limit } = input
      await requireReport(db, caller, id)
      return { ...(await listRuns(db, id, { offset, limit })), offset, limit }
    }),
    file: os.alarmReports.file.handler(async ({ input, context: { caller } }) => {
      const { id, runId, format } = input
      const { title } = await requireReport(db, caller, id)
      const files = await findFiles(db, id, runId)
      if (files === undefined) throw new AppError('NOT_FOUND')
      const name = `${fileNameOf(title)} ${files.day}.${format}`
      const content = format === 'pdf' ? new Uint8Array(files.pdf) : files.html
      const type = format === 'pdf' ? 'application/pdf' : 'text/html; charset=utf-8'
      return {
        headers: { 'content-disposition': dispositionOf(name) },
        body: new File([content], name, { type }),
      }
    }),
  }

  /** @throws AppError ALARM_REPORT_TEST_TOO_MANY */
  function spend(allowance: Allowance<string>, who: number | string): void {
    const now = clock.now().getTime()
    if (allowance.waitMs(String(who), now) > 0) throw new AppError('ALARM_REPORT_TEST_TOO_MANY')
    allowance.spend(String(who), 1, now)
  }
}

function managedScopes(caller: Caller): number[] {
  return [...caller.scopeIds('VirtualDevice', 'manage')]
}

/** @throws AppError ALARM_REPORT_NOT_FOUND */
async function requireReport(db: Executor, caller: Caller, id: number): Promise<AlarmReport> {
  const report = await findReport(db, managedScopes(caller), id)
  if (report === undefined) throw new AppError('ALARM_REPORT_NOT_FOUND', { id })
  return report
}

/** A group that the caller sees and that belongs to an account or one below it. @throws AppError SMART_GROUP_NOT_FOUND */
async function requireGroupOf(
  db: Executor,
  caller: Caller,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<GroupRow> {
  await requireGroup(db, caller, groupId)
  const group = await findGroupWithin(db, accountId, groupId)
  if (group === undefined) throw new AppError('SMART_GROUP_NOT_FOUND', { id: groupId })
  return group
}

/** @throws AppError SMART_GROUP_NOT_FOUND, ALARM_REPORT_NO_TARGET, ALARM_REPORT_CONNECTOR_INVALID */
async function check(
  tx: Executor,
  { connectors }: SendingParts,
  { caller, accountId }: { caller: Caller; accountId: number },
  { groupId, recipients, connectorId, topic }: ReportFields,
): Promise<void> {
  await requireGroupOf(tx, caller, { accountId, groupId })
  if (connectorId === null) {
    if (topic !== null) throw new AppError('ALARM_REPORT_CONNECTOR_INVALID')
    if (recipients.length === 0) throw new AppError('ALARM_REPORT_NO_TARGET')
    return
  }
  const needs = topic === null ? 'use' : 'command'
  const connector = (await connectors.messages.usable(tx, caller, [connectorId], needs)).get(connectorId)
  const fits = topic === null ? connector?.delivers : connector?.mayPublish(topic)
  if (!fits || connector?.accountId !== accountId) throw new AppError('ALARM_REPORT_CONNECTOR_INVALID')
}

function fieldsOf(report: AlarmReport) {
  const {
    id: _id,
    version: _version,
    accountId: _account,
    accountName: _name,
    groupTitle: _group,
    connectorName: _connector,
    nextAt: _next,
    lastSentAt: _sent,
    lastState: _state,
    ...fields
  } = report
  return fields
}

/**
 * Runs a change in its own transaction.
 * @throws AppError ALARM_REPORT_ALREADY_EXISTS when the title is taken
 */
async function unlessTaken<T>(db: Executor, work: (tx: Executor) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(work)
  } catch (error) {
    if (violatedUnique(error) === reportTitleIndex) throw new AppError('ALARM_REPORT_ALREADY_EXISTS')
    throw error
  }
}

function note(
  tx: Executor,
  caller: Caller,
  action: 'create' | 'update' | 'delete',
  report: { id: number; title: string; accountId: number },
  changes?: object,
): Promise<void> {
  return recordActivity(tx, caller, {
    action,
    subject: 'AlarmReport',
    objectId: report.id,
    objectTitle: report.title,
    accountId: report.accountId,
    changes,
  })
}
