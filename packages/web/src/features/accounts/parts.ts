import { onDemand } from '../../lib/onDemand.ts'
import type { AccountSection } from './slots.ts'

export const flagSection: AccountSection = {
  key: 'flags',
  isShown: (can) => can('super.system', 'manage'),
  Content: onDemand(() => import('./flags/FlagSection.tsx')),
}

export const MailTab = onDemand(async () => ({ default: (await import('./MailTab.tsx')).MailTab }))
export const CreateAccount = onDemand(async () => ({
  default: (await import('./AccountActions.tsx')).CreateAccount,
}))
