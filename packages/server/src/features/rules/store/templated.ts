import { sql } from 'kysely'
import { anyOf, type Executor } from '../../../platform/db/index.ts'
import { giveAlarms } from '../../alarms/index.ts'
import { ints, texts } from '../../twins/index.ts'
import type { Watch } from '../triggers/types.ts'
import type { Place } from '../wakes.ts'
import type { RelatedInput } from './many.ts'

/** A rule of a template that a device runs, or that leaves it out. */
export interface HeldRule {
  ruleId: number
  templateRule: string
  title: string
  isExcept: boolean
}

/** The rules of its template that a device runs, or that leave it out. */
export async function listHeld(db: Executor, twinId: number): Promise<HeldRule[]> {
  const { rows } = await sql<HeldRule>`
    select r.id as "ruleId", r.template_rule as "templateRule", r.title, false as "isExcept"
    from rule_members m join rules r on r.id = m.rule_id
    where m.twin_id = ${twinId} and r.template_id is not null
    union all
    select r.id, r.template_rule, r.title, true from rules r
    where r.template_id = (select template_id from virtual_devices where twin_id = ${twinId})
      and r.many -> 'except' @> ${String(twinId)}::jsonb
    order by 1`.execute(db)
  return rows
}

/** What a rule waits for on one of its devices. */
export interface NewPlace {
  ruleId: number
  inputs: readonly RelatedInput[]
  watches: readonly Watch[]
  silences: readonly { trigger: number; alias: string; ms: number }[]
}

/** Makes a device run rules of its template. Silences count from now. */
export async function addPlaces(
  tx: Executor,
  twinId: number,
  places: readonly NewPlace[],
  now: Date,
): Promise<void> {
  if (places.length === 0) return
  const inputs = places.flatMap(({ ruleId, inputs }) => inputs.map((input) => ({ ruleId, ...input })))
  const watches = places.flatMap(({ ruleId, watches }) => watches.map((watch) => ({ ruleId, ...watch })))
  const silences = places.flatMap(({ ruleId, silences }) => silences.map((each) => ({ ruleId, ...each })))
  await sql`
    insert into rule_members (rule_id, twin_id)
    select id, ${twinId}::int from unnest(${ints(places.map(({ ruleId }) => ruleId))}) as n (id)
    on conflict do nothing`.execute(tx)
  await sql`
    insert into rule_inputs (rule_id, twin_id, alias, state_id, wakes)
    select n.rule_id, s.twin_id, n.alias, s.id, n.wakes
    from unnest(${ints(inputs.map(({ ruleId }) => ruleId))}, ${texts(inputs.map(({ alias }) => alias))},
      ${texts(inputs.map(({ stateKey }) => stateKey))}, ${inputs.map(({ wakes }) => wakes)}::boolean[])
      as n (rule_id, alias, key, wakes)
    join states s on s.twin_id = ${twinId} and s.key = n.key
    on conflict (rule_id, twin_id, alias, state_id) do update set wakes = excluded.wakes`.execute(tx)
  if (watches.length > 0)
    await sql`
      insert into rule_watches (rule_id, twin_id, kind, object_id, below)
      select n.rule_id, ${twinId}::int, n.kind, n.object_id, n.below
      from unnest(${ints(watches.map(({ ruleId }) => ruleId))}, ${texts(watches.map(({ kind }) => kind))},
        ${ints(watches.map(({ id }) => id))}, ${watches.map(({ below }) => below)}::boolean[])
        as n (rule_id, kind, object_id, below)
      on conflict do nothing`.execute(tx)
  if (silences.length > 0)
    await sql`
      insert into rule_due (rule_id, twin_id, trigger, due_at, state_id, silence_ms)
      select n.rule_id, i.twin_id, n.trigger, ${now}::timestamptz + n.ms * interval '1 millisecond', i.state_id, n.ms
      from unnest(${ints(silences.map(({ ruleId }) => ruleId))}, ${ints(silences.map(({ trigger }) => trigger))},
        ${texts(silences.map(({ alias }) => alias))}, ${silences.map(({ ms }) => ms)}::bigint[])
        as n (rule_id, trigger, alias, ms)
      join rule_inputs i on i.rule_id = n.rule_id and i.twin_id = ${twinId} and i.alias = n.alias
      on conflict do nothing`.execute(tx)
}

/** Ends rules on a device, with what they remember of it. A rule of a template goes with its last device. */
export async function stopPlaces(tx: Executor, twinId: number, ruleIds: readonly number[]): Promise<void> {
  for (const table of ['rule_inputs', 'rule_watches', 'rule_due', 'rule_live', 'rule_members'] as const)
    await tx.deleteFrom(table).where('rule_id', '=', anyOf(ruleIds)).where('twin_id', '=', twinId).execute()
}

/** Ends rules of a template on a device, or that they leave it out. */
export async function dropPlaces(tx: Executor, twinId: number, ruleIds: readonly number[]): Promise<void> {
  if (ruleIds.length === 0) return
  await dropExceptions(tx, twinId, ruleIds)
  await stopPlaces(tx, twinId, ruleIds)
  // Where it was the last one that was left out, no member went.
  await sql`
    delete from rules r where r.id = ${anyOf(ruleIds)} and r.template_id is not null
      and jsonb_array_length(r.many -> 'except') = 0
      and not exists (select from rule_members m where m.rule_id = r.id)`.execute(tx)
}

/** Takes a device in again. */
export async function dropExceptions(
  tx: Executor,
  twinId: number,
  ruleIds: readonly number[],
): Promise<void> {
  await sql`
    update rules set many = jsonb_set(many, '{except}', (
      select coalesce(jsonb_agg(id), '[]') from jsonb_array_elements(many -> 'except') as e (id)
      where id <> ${String(twinId)}::jsonb))
    where id = ${anyOf(ruleIds)} and template_id is not null and many -> 'except' @> ${String(twinId)}::jsonb`.execute(
    tx,
  )
}

/** Leaves a device out of rules of its template. */
export async function writeExceptions(
  tx: Executor,
  twinId: number,
  ruleIds: readonly number[],
): Promise<void> {
  if (ruleIds.length === 0) return
  await sql`
    update rules set many = jsonb_set(many, '{except}', many -> 'except' || ${String(twinId)}::jsonb)
    where id = ${anyOf(ruleIds)} and not many -> 'except' @> ${String(twinId)}::jsonb`.execute(tx)
}

/** Gives what a rule remembers of a twin and did on it to another rule, with its alarms. */
export async function givePlace(tx: Executor, { ruleId, twinId }: Place, toId: number): Promise<void> {
  for (const table of ['rule_live', 'rule_executions', 'rule_quiet'] as const)
    await tx
      .updateTable(table)
      .set({ rule_id: toId })
      .where('rule_id', '=', ruleId)
      .where('twin_id', '=', twinId)
      .execute()
  const open = await giveAlarms(tx, { ruleId, twinId }, toId)
  await tx
    .updateTable('rule_escalations')
    .set({ rule_id: toId })
    .where('alarm_id', '=', anyOf(open))
    .execute()
}

/** Adds the figures of a rule to those of another one. */
export async function addDays(tx: Executor, fromId: number, toId: number): Promise<void> {
  await sql`
    insert into rule_days as d (rule_id, day, evaluations, fired, errors, duration_us)
    select ${toId}::int, day, evaluations, fired, errors, duration_us from rule_days where rule_id = ${fromId}
    on conflict (rule_id, day) do update set evaluations = d.evaluations + excluded.evaluations,
      fired = d.fired + excluded.fired, errors = d.errors + excluded.errors,
      duration_us = d.duration_us + excluded.duration_us`.execute(tx)
}

/** Rules that do not run forget: they would not know what happened in between. */
export async function forgetPlaces(tx: Executor, twinId: number, ruleIds: readonly number[]): Promise<void> {
  if (ruleIds.length === 0) return
  await tx
    .updateTable('rule_live')
    .set({ memory: null, due_at: null })
    .where('rule_id', '=', anyOf(ruleIds))
    .where('twin_id', '=', twinId)
    .execute()
}
