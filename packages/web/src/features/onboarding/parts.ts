import { lazy } from 'react'
import type { DeviceWizard } from '../devices/index.ts'

export const createWizard: DeviceWizard = {
  param: 'create',
  Content: lazy(() => import('./CreateDevice.tsx')),
}
