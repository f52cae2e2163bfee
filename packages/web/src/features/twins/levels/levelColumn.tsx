import type { TwinSummary } from '@leitstand/contract/twins'
import type { TFunction } from 'i18next'
import type { ListColumn } from '../../../ui/list/types.ts'
import { WorstLevelBadge } from './WorstLevel.tsx'

/** The worst level of a twin and everything below it. Not in CSV files: it is loaded for visible rows only. */
export function levelColumn(t: TFunction): ListColumn<TwinSummary> {
  return {
    key: 'level',
    title: t('twins.level'),
    render: (twin) => <WorstLevelBadge twin={twin} />,
  }
}
