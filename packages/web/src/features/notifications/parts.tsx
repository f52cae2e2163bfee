import { onDemand } from '../../lib/onDemand.ts'

/** Notifications of the user about alarms, in the profile. */
export const NotificationsSection = onDemand(() => import('./NotificationsSection.tsx'))
