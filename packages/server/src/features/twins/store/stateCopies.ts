import type { SourceDefinition } from '@leitstand/contract/states'
import { sql } from 'kysely'
import { type Executor, jsonb } from '../../../platform/db/index.ts'
import { viewOf } from '../../objects/index.ts'
import { aggregateSources, listeningSources, withStates } from '../sources/index.ts'
import { ints, texts } from './filters.ts'
import { replaceLinks } from './links.ts'

/** A twin, and the new one that becomes its copy. */
export interface TwinPair {
  from: number
  to: number
}

/**
 * Copies the states of twins to new twins without states. Computed states have no source until `linkCopies`; those that
 * listen to an address keep it if their connector is in these scopes.
 * @param sight where the caller may keep addresses (empty: nowhere) and see devices, and whether as an administrator of
 *   the installation; without, figures of the platform have no source in the copy
 */
export async function copyStates(
  tx: Executor,
  pairs: readonly TwinPair[],
  sight: { connectors: readonly number[]; devices: readonly number[]; isAdministrator: boolean },
  now: Date,
): Promise<void> {
  await sql`
    with owners as materialized (
      select p.from_id, t.* from unnest(${ints(pairs.map(({ from }) => from))}, ${ints(pairs.map(({ to }) => to))})
        as p (from_id, to_id)
      cross join lateral (select id, scope_id from twins where id = p.to_id for share) as t)
    insert into states (scope_id, of_device, twin_id, key, title, search, unit, icon, source, source_settings, connector_id,
      identifier, variable, value_type, transformer, lower_bound, upper_bound, decimals, visualization, position_axis, position,
      created_at, updated_at)
    select o.scope_id, false, o.id, s.key, s.title, s.search, s.unit, s.icon, case when k.kept then s.source else 'none' end,
      case when k.kept then s.source_settings else '{}' end, case when k.kept then s.connector_id end,
      case when k.kept then s.identifier end, case when k.kept then s.variable end, s.value_type, s.transformer,
      s.lower_bound, s.upper_bound, s.decimals, s.visualization, s.position_axis, s.position, ${now}, ${now}
    from owners o join states s on s.twin_id = o.from_id
    cross join lateral (select s.source <> all(${texts(aggregateSources)}) and (s.source <> all(${texts(listeningSources)})
      or exists (select from ${viewOf('connectors')} c
        where c.id = s.connector_id and c.scope_id = any(${ints(sight.connectors)})))
      and case when s.source <> 'system' then true
        when s.source_settings->>'figure' = 'freeDisk' then ${sight.isAdministrator}
        else o.scope_id = any(${ints(sight.devices)}) end as kept) as k
    order by o.id, s.position, s.id`.execute(tx)
}

/** A computed state, its copy, and what the copy is computed from. */
export interface CopiedLink {
  id: number
  definition: SourceDefinition
  /** the sources of the copy by those of the state */
  sources: ReadonlyMap<number, number>
}

/** Computes copies of states like the states themselves, from the given sources. The caller must hold `lockLinks`. */
export async function linkCopies(tx: Executor, links: readonly CopiedLink[], now: Date): Promise<void> {
  for (const { id, definition, sources } of links) {
    const { source, sourceSettings } = definition
    const settings = withStates(source, sourceSettings, (stateId) => sources.get(stateId) ?? stateId)
    await sql`
      update states set source = ${source}, source_settings = ${jsonb({ ...settings })}, updated_at = ${now}
      where id = ${id}`.execute(tx)
  }
  await replaceLinks(
    tx,
    links.map(({ id, sources }) => ({ id, sourceIds: [...new Set(sources.values())] })),
  )
}
