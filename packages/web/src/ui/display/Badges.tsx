import {
  IconAlertCircle,
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconHelpCircle,
  IconPackage,
  IconPlayerPause,
  IconRosetteDiscountCheck,
  IconTrashX,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import classes from '../ui.module.css'
import { Icon, type IconType } from './Icon.tsx'

/** A colour's meaning: it is never shown without its icon and word. */
export type Tone = 'ok' | 'warning' | 'error' | 'unknown' | 'invalid' | 'accent'

/** A small label with an icon and a word in the colour of its meaning. */
export function StatusBadge({
  tone,
  label,
  icon,
}: {
  tone: Tone
  label: string
  icon?: IconType | undefined
}) {
  const shape = icon ?? toneIcons[tone]
  return (
    <span className={classes.status} data-tone={tone}>
      <Icon of={shape} size={14} />
      <span>{label}</span>
    </span>
  )
}

const toneIcons: Record<Tone, IconType> = {
  ok: IconCircleCheck,
  warning: IconAlertTriangle,
  error: IconAlertCircle,
  unknown: IconHelpCircle,
  invalid: IconCircleX,
  accent: IconCircleCheck,
}

/** Health codes of the specification: 0 ok, 1 warning, 2 error, 3 unknown, 4 invalid. */
export const healthTones = ['ok', 'warning', 'error', 'unknown', 'invalid'] as const satisfies readonly Tone[]

/** Health of a device or twin. Codes outside 0…4 count as unknown. */
export function HealthBadge({ health }: { health: number | null | undefined }) {
  const { t } = useTranslation()
  const tone = healthTones[health ?? 3] ?? 'unknown'
  return <StatusBadge tone={tone} label={t(`health.${tone}`)} />
}

/** Operational status: 0 unset, 1 in transit, 2 ready, 3 in operation, 4 temporarily inactive, 5 decommissioned. */
export function OperationalBadge({ status }: { status: number | null | undefined }) {
  const { t } = useTranslation()
  const code = status !== null && status !== undefined && status >= 0 && status <= 5 ? status : 0
  const { tone, icon } = operational[code] ?? { tone: 'unknown' as const, icon: IconCircleDashed }
  return <StatusBadge tone={tone} icon={icon} label={t(`operational.${code}`)} />
}

const operational: readonly { tone: Tone; icon: IconType }[] = [
  { tone: 'unknown', icon: IconCircleDashed },
  { tone: 'unknown', icon: IconPackage },
  { tone: 'accent', icon: IconRosetteDiscountCheck },
  { tone: 'ok', icon: IconCircleCheck },
  { tone: 'warning', icon: IconPlayerPause },
  { tone: 'unknown', icon: IconTrashX },
]
