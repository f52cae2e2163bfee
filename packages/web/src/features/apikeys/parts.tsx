import { lazy } from 'react'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { AccountProps } from '../accounts/index.ts'

const ApiKeysTab = lazy(() => import('./ApiKeysTab.tsx'))

export const keysTab: PageTab<AccountProps> = {
  key: 'keys',
  label: 'accounts.tab.keys',
  before: 'limits',
  isShown: (can) => can('UserManagement', 'read'),
  Content: ({ account }) => <ApiKeysTab accountId={account.id} />,
}
