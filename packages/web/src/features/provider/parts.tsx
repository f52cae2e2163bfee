import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { AccountProps } from '../accounts/index.ts'

const ApplicationsTab = onDemand(() => import('./ApplicationsTab.tsx'))

export const applicationsTab: PageTab<AccountProps> = {
  key: 'applications',
  label: 'accounts.tab.applications',
  before: 'limits',
  isShown: (can) => can('UserManagement', 'read'),
  Content: ({ account }) => <ApplicationsTab accountId={account.id} />,
}

export const GrantedSection = onDemand(() => import('./GrantedSection.tsx'))
