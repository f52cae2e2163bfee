import { onDemand } from '../../lib/onDemand.ts'
import type { DeviceProps } from '../devices/index.ts'
import type { DriverProps } from '../drivers/index.ts'
import type { TwinProps } from '../twins/index.ts'

const FilesSection = onDemand(() => import('./FilesSection.tsx'))

export const DriverFiles = ({ driverId }: DriverProps) => (
  <FilesSection object="deviceDriver" objectId={driverId} />
)

export const TwinFiles = ({ twin }: TwinProps) => <FilesSection object="digitalTwin" objectId={twin.id} />

export const DeviceFiles = ({ device }: DeviceProps) => (
  <FilesSection object="virtualDevice" objectId={device.id} />
)

export const TicketFiles = ({ ticketId }: { ticketId: number }) => (
  <FilesSection object="ticket" objectId={ticketId} />
)

export const GroupFiles = ({ groupId }: { groupId: number }) => (
  <FilesSection object="smartGroup" objectId={groupId} />
)
