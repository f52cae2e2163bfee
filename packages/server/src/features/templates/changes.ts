import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '@leitstand/contract/common'
import type {
  DeviceTemplateSummary,
  TemplateChange,
  TemplateContent,
  TemplateSyncState,
} from '@leitstand/contract/templates'

type Difference = Omit<TemplateChange, 'devices'>

/** Sections whose changes affect devices that are already linked. */
const reaching: readonly TemplateChange['section'][] = ['driver', 'health', 'state', 'rule', 'property']

/**
 * The changes that publishing a draft would make.
 * @param productive undefined: never published, so everything is new
 * @param devices number of linked devices
 */
export function changesBetween(
  productive: TemplateContent | undefined,
  draft: TemplateContent,
  devices: number,
): TemplateChange[] {
  const driverOf = ({ driverId, driverVersion }: TemplateContent) => ({ driverId, driverVersion })
  const differences = [
    ...whole('driver', productive && driverOf(productive), driverOf(draft)),
    ...whole('connector', productive?.connectorId, draft.connectorId),
    ...whole('health', productive?.health, draft.health),
    ...listed('state', productive?.states, draft.states, ({ key, title }) => ({ key, title })),
    ...listed('rule', productive?.rules, draft.rules, ({ id = '', title }) => ({ key: id, title })),
    ...listed('property', productive?.properties, draft.properties, ({ key }) => ({ key, title: '' })),
    ...whole('tags', productive?.tags, draft.tags),
    ...whole('groups', productive?.groups, draft.groups),
    ...whole('icon', productive?.icon, draft.icon),
  ]
  return differences.map((each) => ({ ...each, devices: reaching.includes(each.section) ? devices : 0 }))
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** For a part that a template has once. */
function whole(section: TemplateChange['section'], before: unknown, after: unknown): Difference[] {
  if (isDeepStrictEqual(before, after) || (isNothing(before) && isNothing(after))) return []
  const kind = isNothing(before) ? 'added' : isNothing(after) ? 'removed' : 'changed'
  return [{ section, kind, key: '', title: '', fields: [], before: jsonOf(before), after: jsonOf(after) }]
}

/** For a list in a template, in the order of the draft; removed items come last. */
function listed<T extends object>(
  section: TemplateChange['section'],
  before: readonly T[] = [],
  after: readonly T[],
  nameOf: (item: T) => { key: string; title: string },
): Difference[] {
  const known = new Map(before.map((item) => [nameOf(item).key, item]))
  const kept = new Set(after.map((item) => nameOf(item).key))
  const found = after.flatMap((item): Difference[] => {
    const { key, title } = nameOf(item)
    const old = known.get(key)
    const base = { section, key, title, after: jsonOf(item) }
    if (old === undefined) return [{ ...base, kind: 'added', fields: [], before: null }]
    const fields = differing(old, item)
    return fields.length === 0 ? [] : [{ ...base, kind: 'changed', fields, before: jsonOf(old) }]
  })
  const gone = before.filter((item) => !kept.has(nameOf(item).key))
  return [
    ...found,
    ...gone.map(
      (item): Difference => ({
        section,
        kind: 'removed',
        ...nameOf(item),
        fields: [],
        before: jsonOf(item),
        after: null,
      }),
    ),
  ]
}

function differing<T extends object>(before: T, after: T): string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (field) => !isDeepStrictEqual(old.get(field), now.get(field)),
  )
}

/** A value that is known to come from JSON. */
function jsonOf(value: unknown): JsonValue {
  return value === undefined ? null : (JSON.parse(JSON.stringify(value)) as JsonValue)
}

/** How far the devices of a template are in sync with it. */
export function syncStateOf({
  isRunning,
  isChanged,
  deviceCount,
  failedCount,
  syncedCount,
}: Pick<DeviceTemplateSummary, 'deviceCount' | 'failedCount'> & {
  isRunning: boolean
  isChanged: boolean
  syncedCount: number
}): TemplateSyncState {
  if (isRunning) return 'running'
  if (isChanged) return 'changed'
  if (deviceCount === 0) return 'unlinked'
  if (failedCount > 0) return 'failed'
  return syncedCount === deviceCount ? 'synced' : 'unknown'
}
