import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { AccountProps } from '../accounts/index.ts'

const ApiKeysTab = onDemand(() => import('./ApiKeysTab.tsx'))

export const keysTab: PageTab<AccountProps> = {
  key: 'keys',
  label: 'accounts.tab.keys',
  before: 'limits',
  isShown: (can) => can('UserManagement', 'read'),
  Content: ({ account }) => <ApiKeysTab accountId={account.id} />,
}
