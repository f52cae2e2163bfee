import type { OverviewState } from '@leitstand/contract/overview'
import { IconBell, IconGauge, IconHierarchy3, IconHistory } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { thingPath } from '../../lib/recent.ts'
import { useCan } from '../../lib/session.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { CsvButton } from '../../ui/list/CsvButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListParams, RowAction } from '../../ui/list/types.ts'
import { SavedViews } from '../groups/index.ts'
import { FilterButton } from './FilterButton.tsx'
import { overviewInput } from './filters.ts'
import { savedFilterOf, stateFilters } from './saved.ts'
import { stateColumns } from './stateColumns.tsx'
import { useShownState } from './useShownState.ts'
import { useStateFilters } from './useStateFilters.ts'

const History = onDemand(() => import('./History.tsx'))

const rowKey = (row: OverviewState) => row.id

/** All states the user may see, `/digitaltwin-state-overview`. */
export default function StateOverviewPage() {
  const { t } = useTranslation()
  const filters = useStateFilters()
  const { shown, open, close } = useShownState()
  const { opens, rowMenu } = useRowActions(open)
  const columns = useMemo(() => stateColumns(t, { onOpen: open, opens }), [t, open, opens])
  return (
    <>
      <ListPage<OverviewState>
        name="states"
        title={t('screens.stateOverview.title')}
        columns={columns}
        query={(params) => api.stateOverview.fetch.queryOptions({ input: overviewInput(params) })}
        csv={(params) => <StatesCsv params={params} />}
        rowKey={rowKey}
        rowMenu={rowMenu}
        filters={filters}
        besideFilters={(params) => (
          <>
            <FilterButton params={params} />
            <SavedViews kind={stateFilters} filter={savedFilterOf(params)} />
          </>
        )}
        searchPlaceholder={t('stateOverview.search')}
        withAccounts
        defaultSort="twin"
        empty={<EmptyState icon={IconGauge} title={t('states.empty')} text={t('stateOverview.emptyText')} />}
      />
      {shown ? (
        <Suspense fallback={null}>
          <History state={shown} objectTitle={shown.twinTitle} onClose={close} />
        </Suspense>
      ) : null}
    </>
  )
}

/** The menu of a row, and which pages the user may open. */
function useRowActions(open: (id: number) => void) {
  const { t } = useTranslation()
  const can = useCan()
  const navigate = useNavigate()
  const opensTwins = can('DigitalTwin', 'read')
  const opensDevices = can('VirtualDevice', 'read') || can('VirtualDevice', 'manage')
  const makesRules = can('DigitalTwin', 'write')
  const opens = useCallback(
    (category: OverviewState['category']) => (category === 'digitalTwin' ? opensTwins : opensDevices),
    [opensTwins, opensDevices],
  )
  const rowMenu = useCallback(
    (row: OverviewState): RowAction[] => [
      { label: t('states.history'), icon: IconHistory, onClick: () => open(row.id) },
      {
        label: t(`stateOverview.toTwin.${row.category}`),
        icon: IconHierarchy3,
        onClick: () =>
          void navigate({ to: thingPath(row.category, row.twinId), search: { tab: 'states' } as never }),
        hidden: !opens(row.category),
      },
      {
        label: t('stateOverview.newRule'),
        icon: IconBell,
        onClick: () =>
          void navigate({
            to: thingPath(row.category, row.twinId),
            search: { tab: 'rules', rule: 'new', state: row.id } as never,
          }),
        hidden: !makesRules || !opens(row.category),
      },
    ],
    [t, navigate, open, opens, makesRules],
  )
  return { opens, rowMenu }
}

/** All columns of all matching states, written by the server. */
function StatesCsv({ params }: { params: ListParams }) {
  const { t } = useTranslation()
  const { offset: _offset, limit: _limit, ...wanted } = overviewInput(params)
  return (
    <CsvButton
      name={t('stateOverview.csvName')}
      load={() => client.stateOverview.exportCsv({ ...wanted, language: currentLanguage() })}
    />
  )
}
