import type { MailOutcome } from '@leitstand/contract/rules'
import type { Context } from '../../../../platform/context.ts'
import type { Executor } from '../../../../platform/db/index.ts'
import type { ChartRequest, NewMail } from '../../../../platform/mail/index.ts'
import type { MailKind, Values } from '../../../../platform/mail/templates/kind.ts'
import type { Language } from '../../../../platform/mail/text.ts'
import type { Rate } from '../../../../platform/tokenBucket.ts'
import type { RuleRun } from '../../collect.ts'
import { isOfOneState } from '../../metrics/index.ts'
import type { NewExecution, RecordedAction, RecordedMail } from '../../store/pipeline.ts'
import type { Origin } from '../sending.ts'
import { accountRate, Budgets, mailRates } from './budgets.ts'
import type { EmailEffect } from './index.ts'
import { mailAddress, type Recipients, type Standing } from './recipients.ts'
import { addHeld, lockBudgets, type Sender, saveBudgets, sendersOf } from './store.ts'
import { ruleMail, stopText } from './texts.ts'

type Rule = Pick<RuleRun['rule'], 'id' | 'title' | 'twinId' | 'accountId'> &
  Partial<Pick<RuleRun['rule'], 'metrics' | 'related'>> & {
    /** whose limit its mails count against, if it is no rule */
    key?: string
  }

/** A mail in the words of a template of the account. */
interface ByTemplate<Name extends string = string> {
  kind: MailKind<Name>
  language: Language
  values: Values<Name>
}

/** A mail that a feature above has written. */
export interface WrittenMail extends Pick<EmailEffect, 'recipients'> {
  accountId: number
  /** whose limit it counts against, e.g. `report:3`, and its title */
  key: string
  title: string
  origin: Record<string, unknown>
  template: ByTemplate
  attachments: NonNullable<NewMail['attachments']>
}

type Letter = Pick<EmailEffect, 'recipients'> &
  Partial<Pick<EmailEffect, 'subject' | 'body' | 'charts'> & Pick<WrittenMail, 'template' | 'attachments'>>

/** What a mail comes from besides its rule, recorded with it: an evaluation, or the alarm it reminds of. */
type Cause = { eventId: number } | { alarmId: number } | null

/** Outcome of one mail, as recorded in the execution. */
interface Outcome {
  ok: boolean
  detail: string
  mails: RecordedMail[]
}

/** Why an address gets no mail, in the order of the checks. */
const reasons = {
  declined: 'declined',
  unconfirmed: 'not confirmed yet',
  ruleLimit: 'held back, limit of the rule',
  accountLimit: 'held back, limit of the account',
  recipientLimit: 'held back, limit of the recipient',
} as const satisfies Partial<Record<MailOutcome['outcome'], string>>
type Refusal = keyof typeof reasons

interface Written {
  to: string[]
  mailId: number
}

/** Everything that decides about the mails of a batch, read once. */
interface Bounds {
  standings: ReadonlyMap<number, ReadonlyMap<string, Standing>>
  senders: ReadonlyMap<number, Sender>
  budgets: Budgets
}

/** Sends the mails of rules, within their limits and to recipients who agreed. */
export class RuleMails {
  readonly #ctx: Context
  readonly #recipients: Recipients

  constructor(ctx: Context, recipients: Recipients) {
    this.#ctx = ctx
    this.#recipients = recipients
  }

  /**
   * Sends the mails of evaluations, in their transaction.
   * @returns the executions with the outcome of each mail
   */
  async send(
    tx: Executor,
    runs: readonly RuleRun[],
    executions: readonly NewExecution[],
  ): Promise<NewExecution[]> {
    const mails = runs.flatMap((run) => emailsOf(run).map((mail) => ({ rule: run.rule, mail })))
    if (mails.length === 0) return [...executions]
    const bounds = await this.#bounds(tx, mails)
    const outcomes = new Map<string, Outcome[]>()
    for (const run of runs) {
      const list: Outcome[] = []
      for (const mail of emailsOf(run))
        list.push(await this.#sendOne(tx, run.rule, mail, bounds, originOf(run.rule, run.wake)))
      outcomes.set(keyOf(run.wake), list)
    }
    await saveBudgets(tx, bounds.budgets.changes())
    return executions.map((execution) => withOutcomes(execution, outcomes))
  }

  /** Sends the mail of an action that somebody tests. @returns what an execution would record */
  async test(tx: Executor, origin: Origin, mail: EmailEffect, run: RuleRun): Promise<RecordedAction> {
    const { twinId, accountId, ruleTitle: title } = origin
    // The rule may not be stored: its tests have the limits of a rule of their own for each twin.
    const { metrics, related } = run.rule
    const rule: Rule = { id: -twinId, title, twinId, accountId, metrics, related }
    const tested = { ...mail, subject: `[Test] ${mail.subject}` }
    const bounds = await this.#bounds(tx, [{ rule, mail: tested }])
    const outcome = await this.#sendOne(tx, rule, tested, bounds, originOf(rule, null))
    await saveBudgets(tx, bounds.budgets.changes())
    return { kind: 'email', ...outcome }
  }

  /** Sends a mail that a rule has planned: a reminder of its alarm. */
  async remind(tx: Executor, rule: Rule, mail: EmailEffect, alarmId: number): Promise<void> {
    const bounds = await this.#bounds(tx, [{ rule, mail }])
    await this.#sendOne(tx, rule, mail, bounds, originOf(rule, { alarmId }))
    await saveBudgets(tx, bounds.budgets.changes())
  }

  /**
   * Sends a mail of another feature, within the same limits and to the same recipients as those of rules.
   * @returns the recipients it was written to, and how many got none
   */
  async write(tx: Executor, mail: WrittenMail): Promise<{ to: string[]; refused: number }> {
    const { accountId, key, title, origin } = mail
    const rule: Rule = { id: 0, title, twinId: 0, accountId, key }
    const bounds = await this.#bounds(tx, [{ rule, mail }])
    const { mails } = await this.#sendOne(tx, rule, mail, bounds, origin)
    await saveBudgets(tx, bounds.budgets.changes())
    const to = mails.flatMap((each) => ('mailId' in each ? each.to : []))
    return { to, refused: new Set(mail.recipients.map(mailAddress)).size - to.length }
  }

  async #bounds(tx: Executor, mails: readonly { rule: Rule; mail: Letter }[]): Promise<Bounds> {
    const now = this.#ctx.clock.now()
    const senders = await sendersOf(tx, [...new Set(mails.map(({ rule }) => rule.accountId))])
    const standings = new Map<number, ReadonlyMap<string, Standing>>()
    const rates = new Map<string, Rate>()
    for (const [accountId, ofAccount] of Map.groupBy(mails, ({ rule }) => rule.accountId)) {
      const { customerId, counted } = senderOf(senders, accountId)
      const addresses = new Set(ofAccount.flatMap(({ mail }) => mail.recipients.map(mailAddress)))
      // Rules of templates reach a device without a user saving them there.
      await this.#recipients.introduce(tx, null, accountId, [...addresses])
      standings.set(accountId, await this.#recipients.standings(tx, accountId, [...addresses]))
      for (const { id, perHour } of counted)
        rates.set(accountKey(id), accountRate(perHour ?? this.#ctx.config.ruleMailsPerHour))
      for (const { rule } of ofAccount) rates.set(ruleKey(rule), mailRates.rule)
      for (const address of addresses) rates.set(recipientKey(customerId, address), mailRates.recipient)
    }
    return { standings, senders, budgets: new Budgets(rates, await lockBudgets(tx, rates, now), now) }
  }

  async #sendOne(
    tx: Executor,
    rule: Rule,
    mail: Letter,
    bounds: Bounds,
    origin: Record<string, unknown>,
  ): Promise<Outcome> {
    const { budgets } = bounds
    const sender = senderOf(bounds.senders, rule.accountId)
    const standings = bounds.standings.get(rule.accountId)
    const [inside, outside]: [string[], { id: number; address: string }[]] = [[], []]
    const refused: { address: string; reason: Refusal }[] = []
    const ruleMayWrite = budgets.has(ruleKey(rule))
    const unique = new Map(mail.recipients.map((written) => [mailAddress(written), written]))
    for (const [address, written] of unique) {
      const standing = standings?.get(address)
      const recipient = standing?.inside ? undefined : standing?.recipient
      const reason = whyUnwanted(standing) ?? (ruleMayWrite ? whyHeld(budgets, sender, address) : 'ruleLimit')
      if (reason !== null) {
        refused.push({ address: written, reason })
        if (isHeld(reason)) await this.#hold(tx, rule, address, reason)
        continue
      }
      for (const { id } of sender.counted) budgets.take(accountKey(id))
      budgets.take(recipientKey(sender.customerId, address))
      if (recipient) outside.push({ id: recipient.id, address: written })
      else inside.push(written)
    }
    if (inside.length + outside.length > 0) budgets.take(ruleKey(rule))
    return outcomeOf(
      await this.#deliver(tx, { rule, mail, origin }, { inside, outside }, sender.name),
      refused,
    )
  }

  /**
   * Users of the account share one mail; every other recipient gets a separate one with an unsubscribe link.
   * @returns the mails
   */
  async #deliver(
    tx: Executor,
    { rule, mail: letter, origin }: { rule: Rule; mail: Letter; origin: Record<string, unknown> },
    to: { inside: readonly string[]; outside: readonly { id: number; address: string }[] },
    accountName: string,
  ): Promise<Written[]> {
    const { config } = this.#ctx
    const written: Written[] = []
    const { charts, attachments = [] } = letter
    const about = { accountId: rule.accountId, origin, charts: chartsOf(rule, charts), attachments }
    if (to.inside.length > 0) {
      const mailId = await this.#write(tx, letter, { ...about, recipients: to.inside }, '')
      written.push({ to: [...to.inside], mailId })
    }
    for (const { id, address } of to.outside) {
      const token = this.#recipients.stopToken(id)
      const stop = stopText(accountName, `${config.publicUrl}/#/rule-mail?token=${token}`)
      const unsubscribeUrl = `${config.publicUrl}${stopPath}/${token}`
      const mailId = await this.#write(tx, letter, { ...about, recipients: [address], unsubscribeUrl }, stop)
      written.push({ to: [address], mailId })
    }
    return written
  }

  #write(
    tx: Executor,
    { template, subject = '', body = '' }: Letter,
    about: Omit<NewMail, 'accountId' | 'subject' | 'body' | 'html'> & { accountId: number },
    below: string,
  ): Promise<number> {
    const { mail } = this.#ctx
    const { kind, language, values } = template ?? {
      kind: ruleMail,
      language: 'de' as const,
      values: { subject, text: body },
    }
    return mail.write<string>(tx, kind, { ...about, language, values, below })
  }

  async #hold(tx: Executor, rule: Rule, address: string, reason: Refusal): Promise<void> {
    const { clock, limitHits } = this.#ctx
    const isOfRecipient = reason === 'recipientLimit'
    const limit = isOfRecipient ? 'recipientMails' : 'ruleMails'
    limitHits.note(rule.accountId, limit, { detail: isOfRecipient ? address : rule.title })
    await addHeld(tx, { accountId: rule.accountId, address, rule: rule.title }, clock.now())
  }
}

/** Path for one-click unsubscribe of mail programs. */
export const stopPath = '/rule-mail/stop'

const ruleKey = ({ id, key }: Rule) => key ?? `rule:${id}`
const originOf = ({ id, twinId }: Rule, cause: Cause) => {
  const from = cause !== null && 'eventId' in cause ? { eventId: cause.eventId } : cause
  return { ruleId: id, twinId, ...from }
}
const accountKey = (id: number) => `account:${id}`
const recipientKey = (accountId: number, address: string) => `recipient:${accountId}:${address}`
const keyOf = ({ ruleId, twinId, eventId }: Pick<NewExecution, 'ruleId' | 'twinId' | 'eventId'>) =>
  `${ruleId}:${twinId}:${eventId}`

const hourMs = 3_600_000

/** Metrics that are no longer of one state have no chart. */
function chartsOf({ metrics = [], related }: Rule, charts: EmailEffect['charts']): ChartRequest[] {
  if (charts === undefined) return []
  const { hours, until } = charts
  const [from, to] = [new Date(until.getTime() - hours * hourMs).toISOString(), until.toISOString()]
  return charts.metrics.flatMap((alias) => {
    const metric = metrics.find((each) => each.alias === alias)
    if (metric === undefined || !isOfOneState(metric)) return []
    const [stateId] = 'stateId' in metric ? [metric.stateId] : (related?.get(alias) ?? [])
    return stateId === undefined ? [] : [{ stateId, from, to }]
  })
}

function emailsOf({ outcome }: RuleRun): EmailEffect[] {
  return outcome.effects.filter((effect) => effect.kind === 'email')
}

function whyUnwanted(standing: Standing | undefined): Refusal | null {
  if (standing === undefined) return 'unconfirmed'
  if (standing.inside) return null
  const state = standing.recipient?.state ?? 'unconfirmed'
  return state === 'confirmed' ? null : state
}

function senderOf(senders: ReadonlyMap<number, Sender>, accountId: number): Sender {
  return (
    senders.get(accountId) ?? {
      name: '',
      customerId: accountId,
      counted: [{ id: accountId, perHour: null }],
    }
  )
}

function whyHeld(budgets: Budgets, { counted, customerId }: Sender, address: string): Refusal | null {
  if (!counted.every(({ id }) => budgets.has(accountKey(id)))) return 'accountLimit'
  return budgets.has(recipientKey(customerId, address)) ? null : 'recipientLimit'
}

function isHeld(reason: Refusal): boolean {
  return reason === 'ruleLimit' || reason === 'accountLimit' || reason === 'recipientLimit'
}

/** `ok` means that every recipient is written to; whether the mails have left is known when the execution is read. */
function outcomeOf(
  written: readonly Written[],
  refused: readonly { address: string; reason: Refusal }[],
): Outcome {
  const recipients = written.flatMap(({ to }) => to)
  const unwritten = [...Map.groupBy(refused, ({ reason }) => reason)].map(([reason, each]) => ({
    to: each.map(({ address }) => address),
    unwritten: reason,
  }))
  const groups = unwritten.map((each) => `${reasons[each.unwritten]}: ${each.to.join(', ')}`)
  return {
    ok: refused.length === 0,
    detail: [...(recipients.length > 0 ? [recipients.join(', ')] : []), ...groups].join('; '),
    mails: [...written, ...unwritten],
  }
}

/** The execution with the outcomes of its mails, in order. */
function withOutcomes(
  execution: NewExecution,
  outcomes: ReadonlyMap<string, readonly Outcome[]>,
): NewExecution {
  const list = [...(outcomes.get(keyOf(execution)) ?? [])]
  if (list.length === 0) return execution
  const actions = execution.actions.map((action) => {
    const outcome = action.kind === 'email' ? list.shift() : undefined
    return outcome ? { ...action, ...outcome } : action
  })
  return { ...execution, actions }
}
