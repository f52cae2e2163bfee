import type { SmartGroupFilter } from '@leitstand/contract/smartGroups'
import { useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useAccounts } from '../../../ui/accounts/AccountFilter.tsx'
import { useDeviceFilters } from '../../devices/index.ts'
import { stateOf } from './filterState.ts'
import classes from './smart.module.css'

const namesFreshMs = 60_000

/** What a smart group filters by, in words. */
export function FilterWords({ filter }: { filter: SmartGroupFilter }) {
  const { t } = useTranslation()
  const words = useFilterWords(filter)
  if (words === null) return <span>{t('smartGroups.ownFilter')}</span>
  if (words.length === 0) return <span>{t('smartGroups.allDevices')}</span>
  return (
    <span className={classes.words}>
      {words.map(({ label, values }) => (
        <span key={label} className={classes.word}>
          <span className={classes.wordLabel}>{label}:</span> {values.join(', ')}
        </span>
      ))}
    </span>
  )
}

/** null: a filter that the console cannot show. */
function useFilterWords(filter: SmartGroupFilter): { label: string; values: string[] }[] | null {
  const { t } = useTranslation()
  const filters = useDeviceFilters()
  const accounts = useAccounts()
  const state = stateOf(
    filter,
    filters.map(({ key }) => key),
  )
  const used = filters.flatMap((each) => {
    const values = state?.filters[each.key] ?? []
    return values.length > 0 ? [{ ...each, values }] : []
  })
  const asked = used.flatMap(({ key, labelOf, values }) =>
    labelOf ? values.map((value) => ({ key, value, labelOf })) : [],
  )
  const names = useQueries({
    queries: asked.map(({ key, value, labelOf }) => ({
      queryKey: ['filterWord', key, value],
      queryFn: () => labelOf(value),
      staleTime: namesFreshMs,
      retry: false,
    })),
  })
  if (!state) return null
  const nameOf = (key: string, value: string) =>
    names[asked.findIndex((each) => each.key === key && each.value === value)]?.data
  const words = used.map(({ key, label, options, values }) => ({
    label,
    values: values.map(
      (value) => options?.find((option) => option.value === value)?.label ?? nameOf(key, value) ?? value,
    ),
  }))
  const search = state.search ? [{ label: t('smartGroups.search'), values: [state.search] }] : []
  const found = accounts.data?.items ?? []
  const ofAccounts =
    state.accountIds.length > 0
      ? [
          {
            label: t('smartGroups.accounts'),
            values: state.accountIds.map((id) => found.find((each) => each.id === id)?.name ?? String(id)),
          },
        ]
      : []
  return [...search, ...ofAccounts, ...words]
}
