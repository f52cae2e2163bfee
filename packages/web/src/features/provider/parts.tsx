import { lazy } from 'react'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { AccountProps } from '../accounts/index.ts'

const ApplicationsTab = lazy(() => import('./ApplicationsTab.tsx'))

export const applicationsTab: PageTab<AccountProps> = {
  key: 'applications',
  label: 'accounts.tab.applications',
  before: 'limits',
  isShown: (can) => can('UserManagement', 'read'),
  Content: ({ account }) => <ApplicationsTab accountId={account.id} />,
}

export const GrantedSection = lazy(() => import('./GrantedSection.tsx'))
