import type { SettingsOf } from '@leitstand/contract/states'
import type { TwinType } from '@leitstand/contract/twins'
import type { Category, StateForm } from '../../form.ts'
import type { Faults } from '../types.ts'

type Settings = SettingsOf<'aggregate'>

/** The query in the form; undefined without a valid key. */
export function queryOf(form: StateForm, of: Category | undefined): Settings['query'] {
  const key = form.queryKey.trim()
  if (!/^[A-Za-z0-9_.]{1,100}$/.test(key)) return undefined
  const category = of ?? (form.queryCategory === 'any' ? undefined : form.queryCategory)
  return {
    key,
    ...(form.queryTwinId === null ? {} : { twinId: Number(form.queryTwinId) }),
    ...(category === undefined ? {} : { category }),
    ...(form.queryTypes.length === 0 ? {} : { types: form.queryTypes as TwinType[] }),
    ...(form.queryTags.length === 0 ? {} : { tags: form.queryTags }),
    ...(form.queryZones.length === 0 ? {} : { zones: form.queryZones }),
    ...(category === 'digitalTwin' ? {} : deviceParts(form)),
  }
}

/** What only devices have. */
function deviceParts({ queryDriverIds, queryTemplateIds }: StateForm) {
  return {
    ...(queryDriverIds.length === 0 ? {} : { driverIds: queryDriverIds.map(Number) }),
    ...(queryTemplateIds.length === 0 ? {} : { templateIds: queryTemplateIds.map(Number) }),
  }
}

/** What old values count; undefined: as any other. */
export function staleOf({ staleCounts, staleMinutes }: StateForm): Settings['stale'] {
  if (staleCounts === 'used' || staleMinutes === '' || staleMinutes < 1) return undefined
  return { afterSeconds: staleMinutes * 60, counts: staleCounts }
}

export function aggregateSettings(form: StateForm, of: Category | undefined): Settings {
  const stale = staleOf(form)
  const query = form.by === 'query' ? queryOf(form, of) : undefined
  return {
    ...(query === undefined ? { stateIds: form.stateIds } : { query }),
    method: form.method,
    ...(stale === undefined ? {} : { stale }),
  }
}

export function aggregateFaults(form: StateForm): Faults {
  const faults: Faults = {}
  if (form.by === 'list' && form.stateIds.length === 0) faults.stateIds = 'stateIds'
  if (form.by === 'query' && queryOf(form, undefined) === undefined)
    faults.queryKey = form.queryKey.trim() === '' ? 'required' : 'key'
  if (form.staleCounts !== 'used' && staleOf(form) === undefined) faults.staleMinutes = 'required'
  return faults
}
