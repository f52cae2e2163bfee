import type { Twin } from '@leitstand/contract/twins'
import { Breadcrumbs } from '@mantine/core'
import { IconHierarchy3, IconShieldLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { useRecordRecent } from '../../lib/recent.ts'
import { useCan } from '../../lib/session.ts'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { FavoriteStar } from '../../ui/display/FavoriteStar.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { TagList } from '../../ui/display/TagList.tsx'
import { ActionMenu } from '../../ui/page/ActionMenu.tsx'
import { DetailPage } from '../../ui/page/DetailPage.tsx'
import { HistoryButton } from '../../ui/page/HistoryButton.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { withTabs } from '../../ui/page/tabs.ts'
import { UsedBy } from '../objects/index.ts'
import { Children } from './Children.tsx'
import { twinIcon, twinPath } from './kinds.ts'
import { Overview } from './Overview.tsx'
import { twinTabs } from './slots.ts'
import { StatesTab } from './states/StatesTab.tsx'
import { useTwinActions } from './TwinActions.tsx'
import { TwinMap } from './TwinMap.tsx'

const MasterData = onDemand(() => import('./MasterData.tsx'))

/** A twin with everything about it, `/digitaltwin-mgmt/{id}`. */
export default function TwinPage() {
  const { t } = useTranslation()
  const { id } = useParams({ strict: false }) as { id: string }
  const twinId = Number(id)
  const can = useCan()
  const query = useQuery(api.digitaltwin.get.queryOptions({ input: { id: twinId } }))
  const twin = query.data as Twin | undefined
  useRecordRecent('digitalTwin', twinId, twin?.title)
  return (
    <DetailPage
      icon={twin ? twinIcon(twin) : IconHierarchy3}
      title={twin?.title}
      overline={twin ? <Ancestors twin={twin} /> : null}
      badges={twin ? <Badges twin={twin} /> : null}
      actions={twin ? <Actions twin={twin} /> : null}
      facts={twin ? factsOf(twin, t) : []}
      error={query.error}
      onRetry={() => void query.refetch()}
      listPath="/digitaltwin-mgmt"
      {...(twin ? { tabs: withTabs(tabsOf(twin, t), twinTabs, { twin }, { t, can }) } : {})}
    />
  )
}

function Badges({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  return (
    <>
      {twin.disabled ? <StatusBadge tone="unknown" label={t('twins.isDisabled')} /> : null}
      {twin.hasOwnScope ? (
        <StatusBadge tone="accent" icon={IconShieldLock} label={t('twins.ownScope.badge')} />
      ) : null}
    </>
  )
}

/** The path from the root to the twin. */
function Ancestors({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  return (
    <nav aria-label={t('twins.ancestors')}>
      <Breadcrumbs separator="›" separatorMargin={6} styles={{ root: { flexWrap: 'wrap' } }}>
        <span>{twin.accountName}</span>
        {twin.ancestors.map((ancestor) => (
          <RouterLink key={ancestor.id} to={twinPath(ancestor.id)} size="xs">
            {ancestor.title}
          </RouterLink>
        ))}
      </Breadcrumbs>
    </nav>
  )
}

function Actions({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { actionsOf, dialogs } = useTwinActions(() => void navigate({ to: '/digitaltwin-mgmt' }))
  return (
    <>
      <FavoriteStar type="digitalTwin" objectId={twin.id} />
      <HistoryButton subject="DigitalTwin" id={twin.id} />
      {twin.editable ? (
        <ActionMenu
          actions={actionsOf(twin)}
          label={t('twins.actionsOf', { title: twin.title })}
          size={34}
          variant="default"
        />
      ) : null}
      {dialogs}
    </>
  )
}

type Translate = ReturnType<typeof useTranslation>['t']

function factsOf(twin: Twin, t: Translate) {
  return [
    { label: t('twins.type'), value: t(`twins.types.${twin.type}`) },
    {
      label: t('twins.id'),
      value: (
        <>
          <span className="tabular">{twin.id}</span> <CopyButton value={String(twin.id)} />
        </>
      ),
    },
    { label: t('twins.tags'), value: <TagList tags={twin.tags} />, hidden: twin.tags.length === 0 },
    { label: t('twins.zones'), value: <TagList tags={twin.zones} />, hidden: twin.zones.length === 0 },
    {
      label: t('masterData.floorNumber'),
      value: [twin.floorNumber, twin.floorName].filter((part) => part !== null && part !== '').join(' · '),
      hidden: twin.floorNumber === null && twin.floorName === '',
    },
    { label: t('twins.address'), value: twin.address, hidden: twin.address === '' },
    { label: t('twins.updatedAt'), value: <RelativeTime time={twin.updatedAt} /> },
  ]
}

function tabsOf(twin: Twin, t: Translate) {
  const own = { objectId: twin.id, title: twin.title, editable: twin.editable }
  return [
    {
      key: 'overview',
      label: t('twins.tabs.overview'),
      content: <Overview twin={twin} />,
    },
    {
      key: 'states',
      label: t('twins.tabs.states'),
      count: twin.stateCount,
      content: <StatesTab {...own} accountId={twin.accountId} category="digitalTwin" />,
    },
    { key: 'data', label: t('twins.tabs.data'), content: <MasterData key={twin.id} twin={twin} /> },
    {
      key: 'map',
      label: t('twins.tabs.map'),
      content: <TwinMap twin={twin} />,
    },
    {
      key: 'children',
      label: t('twins.tabs.children'),
      count: twin.childCount,
      content: <Children twin={twin} />,
    },
    {
      key: 'uses',
      label: t('uses.title'),
      content: <UsedBy of="twin" id={twin.id} lists={{ digitalTwin: `${twinPath(twin.id)}?tab=children` }} />,
    },
  ]
}
