import { Suspense } from 'react'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan } from '../../lib/session.ts'
import type { DeviceProps } from '../devices/index.ts'
import type { TwinProps } from '../twins/index.ts'

const OpenAlarms = onDemand(() => import('./OpenAlarms.tsx'))

/** Open alarms on the overview of a twin, with those of everything below it. */
export function AlarmsOfTwin({ twin }: TwinProps) {
  const can = useCan()
  return can('VirtualDevice', 'read') || can('DigitalTwin', 'read') ? <Alarms twinId={twin.id} /> : null
}

/** Open alarms of a device, above its values. */
export function AlarmsOfDevice({ device }: DeviceProps) {
  return <Alarms twinId={device.id} title={device.title} />
}

function Alarms(props: { twinId: number; title?: string }) {
  return (
    <Suspense fallback={null}>
      <OpenAlarms {...props} />
    </Suspense>
  )
}
