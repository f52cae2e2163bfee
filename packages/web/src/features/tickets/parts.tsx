import type { Alarm } from '@leitstand/contract/alarms'
import { onDemand } from '../../lib/onDemand.ts'
import type { PageTab } from '../../ui/page/tabs.ts'
import type { TwinProps } from '../twins/index.ts'

const TicketsOfTwin = onDemand(() => import('./TicketsOfTwin.tsx'))

const TicketOfAlarm = onDemand(() => import('./TicketOfAlarm.tsx'))

/** Makes a ticket of an alarm of a twin. */
export function TicketButton({ alarm }: { alarm: Alarm }) {
  return <TicketOfAlarm alarm={alarm} />
}

/** What is reported at a twin and below it, and the code to report more. */
export const ticketsTab: PageTab<TwinProps> = {
  key: 'tickets',
  label: 'tickets.tab',
  isShown: (can) => can('IsFmTicket', 'read') || can('IsFmTicket', 'manage'),
  Content: ({ twin }) => <TicketsOfTwin key={twin.id} twin={twin} />,
}
