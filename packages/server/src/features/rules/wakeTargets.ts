import type { Executor } from '../../platform/db/index.ts'
import { readOthers, readPlaces } from './store/others.ts'
import { type Place, placeKey } from './wakes.ts'

/** A rule that is woken by another one, which ran on a twin; `byId` null: by a test. */
interface Woken extends Place {
  byId: number | null
}

/** Where it is woken: on one twin, on all of its twins, or nowhere. */
type WakeTarget = { twinId: number } | Record<string, never> | null

/**
 * Where rules are woken by others: on the same twin, if they run on it too; otherwise on their twins, but one rule for many
 * does not wake another one on all of its twins for each of its own. Rules of templates are woken on the same twin only.
 * @param others the rules that are woken
 */
export async function wakeTargets(
  tx: Executor,
  others: ReadonlyMap<number, { isForMany: boolean; isOfTemplate: boolean }>,
  wanted: readonly Woken[],
): Promise<(woken: Woken) => WakeTarget> {
  const forMany = wanted.filter(({ ruleId }) => others.get(ruleId)?.isForMany)
  if (forMany.length === 0) return () => ({})
  const there = await readPlaces(tx, forMany)
  const byIds = new Set(forMany.flatMap(({ byId }) => byId ?? []))
  const by = await readOthers(tx, [...byIds])
  return ({ ruleId, byId, twinId }) => {
    const other = others.get(ruleId)
    if (!other?.isForMany) return {}
    if (there.has(placeKey({ ruleId, twinId }))) return { twinId }
    // A rule must not wake another on devices that its own editor may not see.
    if (other.isOfTemplate) return null
    return byId !== null && by.get(byId)?.isForMany ? null : {}
  }
}
