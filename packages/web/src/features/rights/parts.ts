import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { AccountProps, AccountSection } from '../accounts/index.ts'

export const defaultRolesSection: AccountSection = {
  key: 'defaultRoles',
  Content: onDemand(() => import('./DefaultRoles.tsx')),
}
