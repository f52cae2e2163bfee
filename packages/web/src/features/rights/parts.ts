import { lazy } from 'react'
import type { AccountSection } from '../accounts/index.ts'

export const defaultRolesSection: AccountSection = {
  key: 'defaultRoles',
  Content: lazy(() => import('./DefaultRoles.tsx')),
}
