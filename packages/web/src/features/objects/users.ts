import type { ObjectUser, ObjectUsers, UserKind } from '@leitstand/contract/objects'

/** What can be asked what uses it. */
export type Used = 'twin' | 'device' | 'state' | 'driver' | 'connector' | 'template' | 'dashboard'

const paths: Record<UserKind, string> = {
  digitalTwin: '/digitaltwin-mgmt',
  virtualDevice: '/virtual-devices',
  state: '',
  rule: '',
  deviceTemplate: '/device-templates',
  dashboard: '/dashboards',
}

/** Where a user is shown: itself, or the tab of the twin or device it belongs to. */
export function userPath({ kind, id, owner }: Pick<ObjectUser, 'kind' | 'id' | 'owner'>): string {
  if (owner === null) return `${paths[kind]}/${id}`
  return `${paths[owner.kind]}/${owner.id}?tab=${kind === 'rule' ? 'rules' : 'states'}`
}

/** Whether a user keeps what it uses from being deleted: states computed from it, and what lies below it. */
export function keepsIt(of: Used, { kind, notes }: Pick<ObjectUser, 'kind' | 'notes'>): boolean {
  if (kind === 'deviceTemplate') return of === 'driver'
  return kind === 'state' || kind === 'virtualDevice' || notes.includes('child')
}

/** How many of a page there are of each kind, and which of them it holds. */
export function groupsOf({ groups, items }: Pick<ObjectUsers, 'groups' | 'items'>) {
  return groups.map((group) => ({ ...group, first: items.filter(({ kind }) => kind === group.kind) }))
}
