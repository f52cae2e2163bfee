import type pg from 'pg'
import type { Api } from '../client.ts'
import { createAccount, inParallel } from '../fleet.ts'
import { admin } from '../platform.ts'

/** Twins with rules that wait for the clock; their values never change again. */
const rooms = 3
const level = 50
const minutes = 1
/** How late the clock of a busy platform may be before a wait counts as forgotten. */
const slackMs = 20_000

/** Rules that wait for the clock, by what they wait for. */
export interface Timers {
  /** no value for a minute */
  silent: number[]
  /** a condition that lasts for a minute */
  lasting: number[]
  /** an alarm that reminds every minute */
  reminding: number[]
}

/** Makes the rules; what they wait for begins now. */
export async function addTimers(api: Api, signal: AbortSignal): Promise<Timers> {
  const timers: Timers = { silent: [], lasting: [], reminding: [] }
  await inParallel(rooms, signal, async (index) => {
    // Of its own: the mails of an account to one recipient are limited.
    const { id: accountId } = await createAccount(api)
    const twin = await api.digitaltwin.create({ title: `Waiting room ${index}`, type: 'room', accountId })
    const state = await api.state.create({
      dtwinId: twin.id,
      key: 'level',
      title: 'Level',
      valueType: 'number',
      source: 'platform',
      sourceSettings: {},
    })
    const isHigh = { op: 'gt', left: { metric: 'level' }, right: { value: level - 1 } } as const
    const alarm = { kind: 'alarm', severity: 'warning', message: 'Level' } as const
    const common = { dtwinId: twin.id, metrics: [{ alias: 'level', stateId: state.id }] }
    const silent = await api.ddr.create({
      ...common,
      title: 'Silent',
      triggers: [{ kind: 'silence', metric: 'level', minutes }],
      conditions: isHigh,
      actions: [alarm],
    })
    const lasting = await api.ddr.create({
      ...common,
      title: 'Lasting',
      conditions: { op: 'for', minutes, condition: isHigh },
      actions: [alarm],
    })
    const steps = [{ afterMinutes: minutes, recipients: [admin.username] }]
    const reminding = await api.ddr.create({
      ...common,
      title: 'Reminding',
      conditions: isHigh,
      actions: [{ ...alarm, escalation: { everyMinutes: minutes, until: 'acknowledged', steps } }],
    })
    timers.silent.push(silent.id)
    timers.lasting.push(lasting.id)
    timers.reminding.push(reminding.id)
    await api.state.setValue({ id: state.id, value: level })
  })
  return timers
}

/** What became of the waits. */
export interface Waited {
  /** alarms and reminders that should be there and are not */
  missed: number
  /** alarms beyond the first of a rule, reminders beyond those that are noted */
  doubled: number
}

/** Called a minute after the values were set, or later. */
export async function auditTimers(client: pg.Client, timers: Timers): Promise<Waited> {
  const { silent, lasting, reminding } = timers
  const { rows } = await client.query<{ alarms: number; reminders: number; sent: number; late: boolean }>(
    `select (select count(*)::int from alarms where rule_id = r.id) as alarms,
      (select count(*)::int from mails where (origin->>'ruleId')::int = r.id) as reminders,
      coalesce(e.sent, 0) as sent,
      r.id = any($2) and coalesce(e.next_at < now() - make_interval(secs => $3), true) as late
    from unnest($1::int[]) as r(id) left join rule_escalations e on e.rule_id = r.id`,
    [[...silent, ...lasting, ...reminding], reminding, slackMs / 1000],
  )
  const sum = (count: (row: (typeof rows)[number]) => number) =>
    rows.reduce((all, row) => all + Math.max(0, count(row)), 0)
  return {
    missed: sum(
      ({ alarms, reminders, sent, late }) => 1 - alarms + Math.max(0, sent - reminders) + Number(late),
    ),
    doubled: sum(({ alarms, reminders, sent }) => Math.max(0, alarms - 1) + Math.max(0, reminders - sent)),
  }
}

/** Whether everything that waits for the clock has come true at least once. */
export async function areTimersOver(
  client: pg.Client,
  { silent, lasting, reminding }: Timers,
): Promise<boolean> {
  const { rows } = await client.query<{ over: boolean }>(
    `select (select count(distinct rule_id) from alarms where rule_id = any($1)) = cardinality($1::int[])
      and (select count(*) from rule_escalations where rule_id = any($2) and sent > 0) = cardinality($2::int[]) as over`,
    [[...silent, ...lasting, ...reminding], reminding],
  )
  return rows[0]?.over ?? false
}
