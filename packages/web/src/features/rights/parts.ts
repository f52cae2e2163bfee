import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { AccountProps, AccountSection } from '../accounts/index.ts'

export const defaultRolesSection: AccountSection = {
  key: 'defaultRoles',
  Content: onDemand(() => import('./DefaultRoles.tsx')),
}

export const insightTab: PageTab<AccountProps> = {
  key: 'insight',
  label: 'accounts.tab.insight',
  before: 'domains',
  isShown: (can) => can('UserManagement', 'read'),
  Content: onDemand(() => import('./InsightTab.tsx')),
}
