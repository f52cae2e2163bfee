import type { GrafanaRole } from '@leitstand/contract/applications'
import type { IntegrationKey } from '@leitstand/contract/integrations'
import type { Action, Subject } from '@leitstand/contract/permissions'
import type { Executor } from '../../platform/db/index.ts'
import { scopesWithIntegration } from '../accounts/index.ts'
import type { Rights } from '../rights/index.ts'

/** Grafana shows what `timeSeries` opens; `dashboardInstance` lets users in. */
const needed: readonly IntegrationKey[] = ['timeSeries', 'dashboardInstance']

/** The role each permission gives, the highest first: the first one that a user has counts. */
const roles: readonly (readonly [GrafanaRole, Subject, Action])[] = [
  ['Admin', 'all', 'manage'],
  ['Editor', 'DigitalTwin', 'manage'],
  ['Editor', 'VirtualDevice', 'manage'],
  ['Editor', 'IotHub', 'manage'],
  ['Viewer', 'all', 'read'],
  ['Viewer', 'DigitalTwin', 'read'],
  ['Viewer', 'VirtualDevice', 'read'],
  ['Viewer', 'IotHub', 'read'],
]

/** Pure. The role of somebody with these permissions in Grafana; null: none. */
export function roleFor(may: (subject: Subject, action: Action) => boolean): GrafanaRole | null {
  return roles.find(([, subject, action]) => may(subject, action))?.[0] ?? null
}

/**
 * The role of a user in the Grafana of an account; null while the account has not activated it. Permissions in an
 * account below do not count: Grafana shows all data of its account to each of its users.
 */
export async function grafanaRoleOf(
  db: Executor,
  rights: Pick<Rights, 'scopeIds'>,
  { scopeId }: { scopeId: number },
): Promise<GrafanaRole | null> {
  for (const integration of needed)
    if ((await scopesWithIntegration(db, integration, [scopeId])).length === 0) return null
  return roleFor((subject, action) => rights.scopeIds(subject, action).includes(scopeId))
}
