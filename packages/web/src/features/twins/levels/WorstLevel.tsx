import type { TwinSummary } from '@leitstand/contract/twins'
import { useTranslation } from 'react-i18next'
import { StatusBadge } from '../../../ui/display/Badges.tsx'
import { LevelIcon } from '../states/StateValue.tsx'
import { useWorstLevel } from './useWorstLevel.ts'

interface WorstLevelProps {
  twin: Pick<TwinSummary, 'id' | 'level' | 'childCount'>
}

/** The worst level of a twin and everything below it, as an icon; nothing without limits. */
export function WorstLevel({ twin }: WorstLevelProps) {
  const level = useWorstLevel(twin)
  return level ? <LevelIcon level={level} /> : null
}

/** The same as a badge. */
export function WorstLevelBadge({ twin }: WorstLevelProps) {
  const { t } = useTranslation()
  const level = useWorstLevel(twin)
  return level ? <StatusBadge tone={level} label={t(`states.levels.${level}`)} /> : '–'
}
