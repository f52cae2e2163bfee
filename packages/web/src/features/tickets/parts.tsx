import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { TwinProps } from '../twins/index.ts'

const TicketsOfTwin = onDemand(() => import('./TicketsOfTwin.tsx'))

/** What is reported at a twin and below it, and the code to report more. */
export const ticketsTab: PageTab<TwinProps> = {
  key: 'tickets',
  label: 'tickets.tab',
  isShown: (can) => can('IsFmTicket', 'read') || can('IsFmTicket', 'manage'),
  Content: ({ twin }) => <TicketsOfTwin key={twin.id} twin={twin} />,
}
