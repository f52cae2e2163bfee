import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { AccountProps } from '../accounts/index.ts'

export const signOnTab: PageTab<AccountProps> = {
  key: 'sso',
  label: 'accounts.tab.sso',
  before: 'mail',
  isShown: (_, { account }) => account.editable,
  Content: onDemand(() => import('./SsoTab.tsx')),
}
