import { onDemand } from '../../lib/onDemand.ts'

/** Announcements on the home page; most of the time there are none. */
export const Messages = onDemand(() => import('./Messages.tsx'))
