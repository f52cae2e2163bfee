import { onDemand } from '../../lib/onDemand.ts'
import type { AccountSection } from '../accounts/index.ts'

export const defaultRolesSection: AccountSection = {
  key: 'defaultRoles',
  Content: onDemand(() => import('./DefaultRoles.tsx')),
}
