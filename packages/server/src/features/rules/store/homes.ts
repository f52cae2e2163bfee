import type { Rule } from '@leitstand/contract/rules'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { anyOf } from '../../../platform/db/index.ts'

/** What a rule belongs to. */
export interface Home extends Pick<Rule, 'twinTitle' | 'twinCategory' | 'template'> {
  /** null: it is of a template */
  twinId: number | null
}

/**
 * Whether a rule is seen by those who see these scopes: they see its twin or, if it is of a template, a device that it runs on
 * or leaves out.
 * @param rule of the table `rules` @param twin its twin, joined from `twins`
 */
export function isVisible(
  scopeIds: readonly number[],
  { rule, twin }: { rule: string; twin: string } = { rule: 'rules', twin: 'twins' },
): RawBuilder<SqlBool> {
  const of = (column: string) => sql.ref(`${rule}.${column}`)
  return sql<SqlBool>`(${sql.ref(`${twin}.scope_id`)} = ${anyOf(scopeIds)} or ${of('template_id')} is not null and exists (
    select from twins seen where seen.scope_id = ${anyOf(scopeIds)} and (
      seen.id in (select twin_id from rule_members where rule_id = ${of('id')})
      or seen.id in (select jsonb_array_elements(${of('many')} -> 'except')::int))))`
}

/** What a rule belongs to. Rules of templates run on devices. */
export function toHome(row: {
  twin_id: number | null
  twin_title: string | null
  category: string | null
  template_id: number | null
  template_title: string | null
}): Home {
  const { template_id: id, template_title: title } = row
  return {
    twinId: row.twin_id,
    twinTitle: row.twin_title ?? '',
    twinCategory: (row.category ?? 'virtualDevice') as Rule['twinCategory'],
    template: id === null ? null : { id, title: title ?? '' },
  }
}
