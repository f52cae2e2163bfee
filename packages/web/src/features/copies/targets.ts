import type { SyncParts, SyncSelection, SyncTarget } from '@leitstand/contract/copies'
import type { TwinType } from '@leitstand/contract/twins'

/** The twins to synchronise, as entered. */
export interface Targets {
  by: 'names' | 'filter'
  ids: string[]
  filter: { parentId: string | null; types: TwinType[]; tags: string[]; zones: string[] }
}

export const noTargets: Targets = {
  by: 'names',
  ids: [],
  filter: { parentId: null, types: [], tags: [], zones: [] },
}

/** null: nothing is chosen yet; an empty filter would select every twin */
export function selectionOf({ by, ids, filter }: Targets): SyncSelection | null {
  if (by === 'names') return ids.length === 0 ? null : { ids: ids.map(Number) }
  const { parentId, types, tags, zones } = filter
  const wanted = {
    ...(parentId === null ? {} : { parentId: Number(parentId) }),
    ...(types.length > 0 ? { types } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(zones.length > 0 ? { zones } : {}),
  }
  return Object.keys(wanted).length === 0 ? null : { filter: wanted }
}

/** The parts after a choice; rules are taken over only with the states they refer to. */
export function withSyncPart(parts: SyncParts, part: keyof SyncParts, isChosen: boolean): SyncParts {
  const next = { ...parts, [part]: isChosen }
  return part === 'states' ? { ...next, rules: isChosen } : next
}

export interface Line {
  kind: 'added' | 'changed' | 'removed'
  of: 'states' | 'rules' | 'fields'
  names: readonly string[]
}

/** What changes in a twin; empty: nothing. */
export function linesOf({ states, rules, fields }: SyncTarget): Line[] {
  const kinds = ['added', 'changed', 'removed'] as const
  const lines: Line[] = [
    ...kinds.map((kind): Line => ({ kind, of: 'states', names: states[kind] })),
    ...kinds.map((kind): Line => ({ kind, of: 'rules', names: rules[kind] })),
    { kind: 'changed', of: 'fields', names: fields },
  ]
  return lines.filter(({ names }) => names.length > 0)
}
