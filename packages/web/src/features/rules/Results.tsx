import type { Execution } from '@leitstand/contract/rules'
import {
  IconBolt,
  IconCircleDashed,
  IconCircleX,
  IconClockOff,
  IconHourglass,
  IconPlayerSkipForward,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { StatusBadge, type Tone } from '../../ui/display/Badges.tsx'
import type { IconType } from '../../ui/display/Icon.tsx'

export type Result = Execution['result']

export const results: readonly Result[] = [
  'fired',
  'not_met',
  'throttled',
  'outside_times',
  'aborted',
  'error',
]

const looks: Record<Result, { tone: Tone; icon: IconType }> = {
  fired: { tone: 'accent', icon: IconBolt },
  not_met: { tone: 'unknown', icon: IconCircleDashed },
  throttled: { tone: 'unknown', icon: IconHourglass },
  outside_times: { tone: 'unknown', icon: IconClockOff },
  aborted: { tone: 'warning', icon: IconPlayerSkipForward },
  error: { tone: 'error', icon: IconCircleX },
}

/** Result of an evaluation. */
export function ResultBadge({ result }: { result: Result }) {
  const { t } = useTranslation()
  return <StatusBadge {...looks[result]} label={t(`rules.results.${result}`)} />
}
