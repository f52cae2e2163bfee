import type { AlarmReportCondition, AlarmReportReason } from '@leitstand/contract/alarmReports'
import { alarmReportLimits } from '@leitstand/contract/alarmReports'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { DueLoop } from '../../platform/dueLoop.ts'
import { Mutex } from '../../platform/mutex.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import { findGroupWithin } from '../groups/index.ts'
import type { RulesFeature } from '../rules/index.ts'
import { type Content, metConditions, readContent } from './content.ts'
import { mailOf } from './mail.ts'
import { type Page, pageOf } from './page.ts'
import { pdfOf } from './pdf/index.ts'
import { htmlOf } from './render.ts'
import {
  type ClaimedRun,
  claimRun,
  dropFiles,
  endRun,
  holdRun,
  nextAt,
  type Outcome,
  planRuns,
  retryRun,
  takeDue,
} from './store.ts'
import { plan } from './times.ts'

export interface SendingParts {
  connectors: Pick<ConnectorsFeature, 'messages'>
  rules: Pick<RulesFeature, 'sendToWebhook' | 'publish' | 'writeMail' | 'introduce' | 'wakeDeliveries'>
}

const dueMax = 50
/** Longer than an attempt takes: one without a result by then was interrupted. */
const leaseMs = 10 * 60_000
const retryMs = 5 * 60_000
const attemptsMax = 3
const dayMs = 86_400_000
const droppedMax = 100

/**
 * Sends reports when they are due: whichever process does it, once a day each. A day is noted before it is worked on, and
 * what is sent is queued in the transaction that notes that it is done.
 */
export function reportClock(ctx: Context, parts: SendingParts): DueLoop {
  const { db, clock, log } = ctx
  let droppedAt = 0
  const turns = new Mutex()
  return new DueLoop({
    log,
    clock,
    failure: 'alarm reports are not sent; tried again soon',
    // Rounds go on until nothing is due.
    batchMax: 1,
    nextAt: () => nextAt(db),
    // One at a time: who waits for everything that is due also waits for what is being made.
    piece: () => turns.run(piece),
  })

  async function piece(): Promise<number> {
    const now = clock.now()
    if (now.getTime() - droppedAt > dayMs / 24) {
      const before = new Date(now.getTime() - alarmReportLimits.filesKeptDays * dayMs)
      if ((await dropFiles(db, before, droppedMax)) < droppedMax) droppedAt = now.getTime()
    }
    const planned = await db.transaction().execute(async (tx) => {
      const due = await takeDue(tx, now, dueMax)
      for (const { id, timing, nextAt } of due) await planRuns(tx, id, plan(timing, nextAt, now), now)
      return due.length
    })
    const run = await claimRun(db, now, new Date(now.getTime() + leaseMs))
    if (run) await attempt(ctx, parts, run)
    return planned + (run ? 1 : 0)
  }
}

/** Makes one attempt; never rejects because of the report itself. */
async function attempt(ctx: Context, parts: SendingParts, run: ClaimedRun): Promise<void> {
  const { db, clock, log } = ctx
  const at = clock.now()
  const give = async (outcome: Partial<Outcome> & Pick<Outcome, 'state'>) =>
    db.transaction().execute(async (tx) => {
      if (await holdRun(tx, run)) await endRun(tx, run, { ...nothing, ...outcome }, at)
    })
  if (run.attempt > attemptsMax) return give({ state: 'failed', reason: 'interrupted' })
  try {
    const made = await makeReport(ctx, run, at)
    if (made === null) return await give({ state: 'failed', reason: 'groupGone' })
    if (made.met.length === 0) return await give({ state: 'nothing' })
    const pdf = await pdfOf(made.page, at)
    await db.transaction().execute(async (tx) => {
      if (!(await holdRun(tx, run))) return
      await endRun(tx, run, await handOver(parts, tx, run, { ...made, pdf }), at)
    })
    parts.rules.wakeDeliveries()
  } catch (error) {
    log.error({ reportId: run.report.id, attempt: run.attempt, err: error }, 'an alarm report failed')
    if (run.attempt >= attemptsMax) await give({ state: 'failed', reason: 'rendering' })
    else await retryRun(db, run, new Date(clock.now().getTime() + retryMs))
  }
}

const nothing = {
  reason: null,
  recipients: 0,
  refused: 0,
  throughConnector: false,
  html: null,
  pdf: null,
} as const

interface Made {
  content: Content
  page: Page
  met: AlarmReportCondition[]
}

/** @returns null when its group is gone, or no longer belongs to the account or an account below it */
async function makeReport(
  { db, brands }: Pick<Context, 'db' | 'brands'>,
  { report, since }: ClaimedRun,
  now: Date,
): Promise<Made | null> {
  const { accountId, groupId, subject } = report
  const group = groupId === null ? undefined : await findGroupWithin(db, accountId, groupId)
  if (group === undefined) return null
  const content = await readContent(db, group, report, { now, since })
  const met = metConditions(report.conditions, content.figures)
  const presence = await brands.of(db, accountId)
  return { content, met, page: pageOf(content, report, { subject, met, presence }) }
}

/** Queues what a report sends, in this transaction. */
async function handOver(
  { rules, connectors }: SendingParts,
  tx: Executor,
  run: ClaimedRun,
  { content, page, met, pdf }: Made & { pdf: Buffer },
): Promise<Outcome> {
  const { report } = run
  const { accountId, recipients, connectorId, topic, title } = report
  const html = htmlOf(page)
  const mail =
    recipients.length === 0
      ? { to: [], refused: 0 }
      : await rules.writeMail(tx, {
          accountId,
          key: `report:${report.id}`,
          title,
          origin: { reportId: report.id, runId: run.id },
          recipients,
          template: mailOf(page),
          attachments: [{ name: `${fileNameOf(title)}.pdf`, type: 'application/pdf', bytes: pdf }],
        })
  let throughConnector = false
  if (connectorId !== null) {
    const found = (await connectors.messages.find(tx, [connectorId])).get(connectorId)
    const message = { ...summaryOf(report, content, met), time: content.to.toISOString() }
    if (found?.accountId === accountId && topic !== null && found.mayPublish(topic)) {
      await rules.publish(tx, { accountId, connectorId, topic, payload: JSON.stringify(message) })
      throughConnector = true
    } else if (found?.accountId === accountId && topic === null && found.delivers) {
      await rules.sendToWebhook(tx, { accountId, connectorId, content: message })
      throughConnector = true
    }
  }
  const isSent = mail.to.length > 0 || throughConnector
  const isConnectorGone = run.usesConnector && !throughConnector
  const reason: AlarmReportReason | null = isConnectorGone ? 'connectorGone' : isSent ? null : 'noRecipient'
  return {
    state: isSent ? 'sent' : 'failed',
    reason,
    recipients: mail.to.length,
    refused: mail.refused,
    throughConnector,
    html,
    pdf,
  }
}

/** What a connector gets. */
function summaryOf(
  { id, title, type }: Pick<ClaimedRun['report'], 'id' | 'title' | 'type'>,
  { groupTitle, accountName, from, to, figures }: Content,
  met: readonly AlarmReportCondition[],
) {
  const {
    quiet,
    fresh,
    raised,
    open,
    unacknowledged,
    resolved,
    received,
    expected,
    windowHours,
    low,
    ...devices
  } = figures
  return {
    report: { id, title, type },
    group: groupTitle,
    account: accountName,
    from: from.toISOString(),
    to: to.toISOString(),
    conditions: met,
    alarms: { open, unacknowledged, new: raised, newSinceLastReport: fresh, resolved },
    devices: {
      total: devices.devices,
      errors: devices.errors,
      warnings: devices.warnings,
      silent: devices.silent,
    },
    packets: { windowHours, received, expected, devicesBelowThreshold: low, devicesSilentOrBelow: quiet },
  }
}

/** A title as the name of a file, without what programs do not take. */
export function fileNameOf(title: string): string {
  const name = title
    .replace(/[^\p{L}\p{N} ._-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 80)
  return name === '' ? 'report' : name
}
