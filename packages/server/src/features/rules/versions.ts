import { RuleDefinition, type RuleVersion } from '@leitstand/contract/rules'
import type { Executor } from '../../platform/db/index.ts'
import { changedNames } from './change.ts'
import { listVersions, type VersionRow } from './store/versions.ts'

/** Kept versions of a rule, newest first, each with what has changed since the one before. */
export async function readVersions(
  db: Executor,
  ruleId: number,
  page: { offset: number; limit: number },
): Promise<{ items: RuleVersion[]; total: number }> {
  const { items, before, total } = await listVersions(db, ruleId, page)
  return {
    items: items.map((row, index) => {
      const earlier = items[index + 1] ?? before
      return { ...toVersion(row), changed: earlier ? changedNames(fieldsOf(earlier), fieldsOf(row)) : [] }
    }),
    total,
  }
}

function toVersion(row: VersionRow): Omit<RuleVersion, 'changed'> {
  const fields = RuleDefinition.safeParse(row.fields)
  // A part that this release no longer knows: it is shown that there was a version, not what was in it.
  return {
    version: row.version,
    at: row.at.toISOString(),
    by: row.by,
    rule: fields.success ? fields.data : null,
  }
}

const fieldsOf = ({ fields }: VersionRow) => fields as Readonly<Record<string, unknown>>
