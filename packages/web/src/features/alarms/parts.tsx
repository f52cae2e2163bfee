import { Suspense } from 'react'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan } from '../../lib/session.ts'
import type { TwinProps } from '../twins/index.ts'

const OpenAlarms = onDemand(() => import('./OpenAlarms.tsx'))

/** Open alarms on the overview of a twin. */
export function AlarmsOfTwin({ twin }: TwinProps) {
  const can = useCan()
  if (!can('VirtualDevice', 'read') && !can('DigitalTwin', 'read')) return null
  return (
    <Suspense fallback={null}>
      <OpenAlarms twinId={twin.id} />
    </Suspense>
  )
}
