import type { TwinSummary } from '@leitstand/contract/twins'
import type { TFunction } from 'i18next'
import type { ListColumn } from '../../../ui/list/types.ts'
import { WorstLevelBadge } from './WorstLevel.tsx'

/** The worst level of a twin and everything below it. The CSV file has that of its own states. */
export function levelColumn(t: TFunction): ListColumn<TwinSummary> {
  return {
    key: 'level',
    title: t('twins.level'),
    csv: ({ level }) => (level ? t(`states.levels.${level}`) : ''),
    render: (twin) => <WorstLevelBadge twin={twin} />,
  }
}
