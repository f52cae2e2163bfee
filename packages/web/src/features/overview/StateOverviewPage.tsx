import type { OverviewState } from '@leitstand/contract/overview'
import { IconBell, IconGauge, IconHierarchy3, IconHistory } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { thingPath } from '../../lib/recent.ts'
import { useCan } from '../../lib/session.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { RowAction, RowGroups } from '../../ui/list/types.ts'
import { SavedViews } from '../groups/index.ts'
import { FilterButton } from './FilterButton.tsx'
import { groupedInput, overviewInput } from './filters.ts'
import { GroupSwitch, useGrouped } from './GroupSwitch.tsx'
import { StatesFile } from './StatesFile.tsx'
import { savedFilterOf, stateFilters } from './saved.ts'
import { type StateAction, stateActions } from './slots.ts'
import { stateColumns, TwinLink } from './stateColumns.tsx'
import { useShownState } from './useShownState.ts'
import { useStateFilters } from './useStateFilters.ts'

const History = onDemand(() => import('./History.tsx'))

const rowKey = (row: OverviewState) => row.id

/** An action and the states it was started for. */
interface Started {
  action: StateAction
  states: OverviewState[]
  /** clears the selection */
  clear?: () => void
}

/** All states the user may see, `/digitaltwin-state-overview`. */
export default function StateOverviewPage() {
  const { t } = useTranslation()
  const filters = useStateFilters()
  const grouped = useGrouped()
  const { shown, open, close } = useShownState()
  const [started, setStarted] = useState<Started>()
  const actions = useStateActions()
  const { opens, rowMenu } = useRowActions(open, actions, setStarted)
  const columns = useMemo(() => stateColumns(t, { onOpen: open, opens, grouped }), [t, open, opens, grouped])
  const groups = useMemo(
    (): RowGroups<OverviewState> => ({
      keyOf: ({ twinId }) => twinId,
      nameOf: ({ twinTitle }) => twinTitle,
      heading: (row) => <TwinLink row={row} opens={opens} />,
    }),
    [opens],
  )
  return (
    <>
      <ListPage<OverviewState>
        name="states"
        title={t('screens.stateOverview.title')}
        columns={columns}
        query={(params) =>
          api.stateOverview.fetch.queryOptions({
            input: grouped ? groupedInput(params) : overviewInput(params),
          })
        }
        groups={grouped ? groups : undefined}
        download={(params) => <StatesFile params={params} grouped={grouped} />}
        rowKey={rowKey}
        rowMenu={rowMenu}
        bulkActions={actions.map((action) => ({
          label: t(action.label),
          icon: action.icon,
          onClick: (states: OverviewState[], clear) => setStarted({ action, states, clear }),
        }))}
        filters={filters}
        besideFilters={(params) => (
          <>
            <FilterButton params={params} />
            <SavedViews kind={stateFilters} filter={savedFilterOf(params)} />
            <GroupSwitch />
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
      {started ? (
        <Suspense fallback={null}>
          <started.action.Dialog
            states={started.states}
            onClose={() => {
              started.clear?.()
              setStarted(undefined)
            }}
          />
        </Suspense>
      ) : null}
    </>
  )
}

/** What the user may do with chosen states. */
function useStateActions(): StateAction[] {
  const can = useCan()
  return useMemo(() => stateActions.parts.filter(({ needs }) => can(needs.subject, needs.action)), [can])
}

/** The menu of a row, and which pages the user may open. */
function useRowActions(
  open: (id: number) => void,
  actions: readonly StateAction[],
  onStart: (started: Started) => void,
) {
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
      ...actions.map((action) => ({
        label: t(action.label),
        icon: action.icon,
        onClick: () => onStart({ action, states: [row] }),
      })),
    ],
    [t, navigate, open, opens, makesRules, actions, onStart],
  )
  return { opens, rowMenu }
}
