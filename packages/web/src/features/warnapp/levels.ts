import type { WarnLevel } from '@leitstand/contract/warnLevels'
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck, IconHelpCircle } from '@tabler/icons-react'
import type { Tone } from '../../ui/display/Badges.tsx'
import type { IconType } from '../../ui/display/Icon.tsx'

export const levelIcons: Readonly<Record<WarnLevel, IconType>> = {
  good: IconCircleCheck,
  okay: IconAlertTriangle,
  unknown: IconHelpCircle,
  bad: IconAlertOctagon,
}

export const levelTones: Readonly<Record<WarnLevel, Tone>> = {
  good: 'ok',
  okay: 'warning',
  unknown: 'unknown',
  bad: 'error',
}
