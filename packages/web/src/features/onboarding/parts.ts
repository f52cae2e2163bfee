import { onDemand } from '../../lib/onDemand.ts'
import type { DeviceWizard } from '../devices/index.ts'

export const createWizard: DeviceWizard = {
  param: 'create',
  Content: onDemand(() => import('./CreateDevice.tsx')),
}
