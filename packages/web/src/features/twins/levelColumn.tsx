import type { TwinSummary } from '@leitstand/contract/twins'
import type { TFunction } from 'i18next'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import type { ListColumn } from '../../ui/list/types.ts'

/** The worst level of a twin's states, with its word. */
export function levelColumn(t: TFunction): ListColumn<TwinSummary> {
  return {
    key: 'level',
    title: t('twins.level'),
    csv: ({ level }) => (level ? t(`states.levels.${level}`) : ''),
    render: ({ level }) => (level ? <StatusBadge tone={level} label={t(`states.levels.${level}`)} /> : '–'),
  }
}
