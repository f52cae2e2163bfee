import { onDemand } from '../../lib/onDemand.ts'

/** What the user is told about alarms, in the profile. */
export const NotificationsSection = onDemand(() => import('./NotificationsSection.tsx'))
