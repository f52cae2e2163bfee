import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { AccountProps, AccountSection } from '../accounts/index.ts'

export const usersTab: PageTab<AccountProps> = {
  key: 'users',
  label: 'accounts.tab.users',
  before: 'domains',
  isShown: (can) => can('UserManagement', 'read'),
  Content: onDemand(() => import('./UsersTab.tsx')),
}

export const twoFactorSection: AccountSection = {
  key: 'twoFactor',
  isShown: (can) => can('UserManagement', 'manage'),
  Content: onDemand(() => import('./TwoFactorDemand.tsx')),
}
