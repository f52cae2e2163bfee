import type { Asset } from '@leitstand/contract/assets'
import { Button, Group, Text } from '@mantine/core'
import {
  IconArrowBackUp,
  IconBell,
  IconHierarchy3,
  IconLink,
  IconNavigation,
  IconPencil,
  IconUnlink,
  IconUserShare,
} from '@tabler/icons-react'
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { useRecordRecent } from '../../lib/recent.ts'
import { useCan } from '../../lib/session.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { FavoriteStar } from '../../ui/display/FavoriteStar.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { DetailPage } from '../../ui/page/DetailPage.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { lengthOf } from '../drivers/index.ts'
import { LoanText, PlaceBadge, ZoneNow } from './AssetBadges.tsx'
import { AssetTrack } from './AssetTrack.tsx'
import classes from './assets.module.css'
import { refreshMs, useRereadAssets } from './useAssets.ts'

const EditDialog = onDemand(() => import('./EditDialog.tsx'))
const TrackerDialog = onDemand(() => import('./TrackerDialog.tsx'))
const LendDialog = onDemand(() => import('./LendDialog.tsx'))
const LeaveAlarmDialog = onDemand(() => import('./LeaveAlarmDialog.tsx'))

const pageSize = 20

/** An asset: where it is and was, its tracker, and who has it: `/is-assetmgmt/assets/{id}`. */
export default function AssetPage() {
  const { t } = useTranslation()
  const can = useCan()
  const navigate = useNavigate()
  const id = Number((useParams({ strict: false }) as { id: string }).id) || 0
  const [dialog, setDialog] = useState<'edit' | 'tracker' | 'lend' | 'alarm' | 'unbind' | null>(null)
  const close = () => setDialog(null)
  const refresh = useRereadAssets()
  const query = useQuery({
    ...api.isAssetMgmt.get.queryOptions({ input: { id } }),
    refetchInterval: refreshMs,
  })
  const asset = query.data
  useRecordRecent('asset', id, asset?.title)
  const change = useMutation({
    mutationFn: (work: () => Promise<Asset>) => work(),
    onSuccess: () => notifySuccess(t('common.saved')),
    onError: (error) => notifyError(error),
    onSettled: () => refresh(),
  })
  return (
    <>
      <DetailPage
        icon={IconNavigation}
        title={asset?.title}
        overline={<RouterLink to="/is-assetmgmt/assets">{t('screens.assets.title')}</RouterLink>}
        badges={asset ? <PlaceBadge asset={asset} /> : null}
        actions={
          asset ? (
            <>
              <FavoriteStar type="asset" objectId={id} />
              {asset.editable ? (
                <LoanButton
                  asset={asset}
                  isBusy={change.isPending}
                  onLend={() => setDialog('lend')}
                  onBack={() => change.mutate(() => client.isAssetMgmt.giveBack({ id }))}
                />
              ) : null}
              {asset.editable ? (
                <Button
                  variant="default"
                  leftSection={<IconPencil size={16} aria-hidden />}
                  onClick={() => setDialog('edit')}
                >
                  {t('common.edit')}
                </Button>
              ) : null}
              {can('DigitalTwin', 'read') ? (
                <Button
                  variant="default"
                  leftSection={<IconHierarchy3 size={16} aria-hidden />}
                  onClick={() => void navigate({ to: `/digitaltwin-mgmt/${id}` })}
                >
                  {t('assets.openTwin')}
                </Button>
              ) : null}
            </>
          ) : null
        }
        facts={asset ? factsOf(asset, t) : []}
        error={query.error}
        onRetry={() => void query.refetch()}
        listPath="/is-assetmgmt/assets"
      >
        {asset ? (
          <div className={classes.columns}>
            <AssetTrack asset={asset} />
            <div className={classes.side}>
              <TrackerSection
                asset={asset}
                onBind={() => setDialog('tracker')}
                onUnbind={() => setDialog('unbind')}
              />
              <Stays id={id} />
              <Loans id={id} />
              {can('DigitalTwin', 'write') ? (
                <Section title={t('assets.alarms')} description={t('assets.alarmsText')}>
                  <Group gap={8}>
                    <Button
                      size="xs"
                      variant="default"
                      leftSection={<IconBell size={14} aria-hidden />}
                      onClick={() => setDialog('alarm')}
                    >
                      {t('assets.leaveAlarm.save')}
                    </Button>
                    <RouterLink to={`/digitaltwin-mgmt/${id}?tab=rules`}>{t('assets.alarmsOpen')}</RouterLink>
                  </Group>
                </Section>
              ) : null}
            </div>
          </div>
        ) : null}
      </DetailPage>
      {asset ? (
        <Suspense>
          {dialog === 'edit' ? <EditDialog asset={asset} onClose={close} /> : null}
          {dialog === 'tracker' ? <TrackerDialog asset={asset} onClose={close} /> : null}
          {dialog === 'alarm' ? <LeaveAlarmDialog asset={asset} onClose={close} /> : null}
          {dialog === 'lend' ? <LendDialog asset={asset} onClose={close} /> : null}
        </Suspense>
      ) : null}
      <ConfirmDialog
        opened={dialog === 'unbind'}
        title={t('assets.unbindTitle')}
        text={t('assets.unbindText')}
        confirmLabel={t('assets.unbind')}
        onCancel={close}
        onConfirm={() => {
          close()
          change.mutate(() => client.isAssetMgmt.unbindTracker({ id }))
        }}
      />
    </>
  )
}

function factsOf(asset: Asset, t: ReturnType<typeof useTranslation>['t']) {
  return [
    { label: t('assets.field.zone'), value: <ZoneNow asset={asset} /> },
    { label: t('assets.field.homeZone'), value: asset.homeZone?.title ?? '–' },
    { label: t('assets.field.category'), value: asset.category || '–' },
    { label: t('assets.field.inventoryNumber'), value: asset.inventoryNumber || '–' },
    {
      label: t('assets.field.seenAt'),
      value: asset.seenAt === null ? '–' : <RelativeTime time={asset.seenAt} />,
    },
    {
      label: t('assets.field.loan'),
      value: asset.loan === null ? '–' : <LoanText loan={asset.loan} />,
      hidden: asset.loan === null,
    },
    { label: t('assets.field.account'), value: asset.accountName },
  ]
}

function LoanButton({
  asset,
  isBusy,
  onLend,
  onBack,
}: {
  asset: Asset
  isBusy: boolean
  onLend: () => void
  onBack: () => void
}) {
  const { t } = useTranslation()
  if (asset.loan !== null)
    return (
      <Button leftSection={<IconArrowBackUp size={16} aria-hidden />} loading={isBusy} onClick={onBack}>
        {t('assets.giveBack')}
      </Button>
    )
  return (
    <Button variant="default" leftSection={<IconUserShare size={16} aria-hidden />} onClick={onLend}>
      {t('assets.lend')}
    </Button>
  )
}

function TrackerSection({
  asset,
  onBind,
  onUnbind,
}: {
  asset: Asset
  onBind: () => void
  onUnbind: () => void
}) {
  const { t } = useTranslation()
  const { tracker, editable } = asset
  const query = useInfiniteQuery(
    api.isAssetMgmt.trackers.infiniteOptions({
      input: (offset: number) => ({ id: asset.id, offset, limit: pageSize }),
      initialPageParam: 0,
      getNextPageParam: nextOffset,
    }),
  )
  const former = (query.data?.pages.flatMap(({ items }) => items) ?? []).filter(({ until }) => until !== null)
  return (
    <Section
      title={t('assets.field.tracker')}
      actions={
        editable ? (
          <>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconLink size={14} aria-hidden />}
              onClick={onBind}
            >
              {t(tracker === null ? 'assets.bind' : 'assets.rebind')}
            </Button>
            {tracker === null ? null : (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconUnlink size={14} aria-hidden />}
                onClick={onUnbind}
              >
                {t('assets.unbind')}
              </Button>
            )}
          </>
        ) : null
      }
    >
      {tracker === null ? (
        <Text size="sm" c="dimmed">
          {t('assets.noTracker')}
        </Text>
      ) : (
        <>
          <Fact label={t('assets.device')}>
            {tracker.deviceId === null ? (
              t('assets.hiddenDevice')
            ) : (
              <RouterLink to={`/virtual-devices/${tracker.deviceId}`}>{tracker.title}</RouterLink>
            )}
          </Fact>
          <Fact label={t('assets.heard')}>
            {tracker.heardAt === null ? t('assets.neverHeard') : <RelativeTime time={tracker.heardAt} />}
          </Fact>
        </>
      )}
      {query.isError ? <ErrorState error={query.error} onRetry={() => void query.refetch()} compact /> : null}
      {former.length === 0 ? null : (
        <>
          <Text size="sm" fw={550} mt="sm">
            {t('assets.formerTrackers')}
          </Text>
          <ul className={classes.list}>
            {former.map((each) => (
              <li key={each.id} className={classes.line}>
                <span>{each.device ?? t('assets.hiddenDevice')}</span>
                <Text span size="sm" c="dimmed">
                  {formatTime(each.from)} – {formatTime(each.until ?? each.from)}
                </Text>
              </li>
            ))}
          </ul>
        </>
      )}
      <More query={query} />
    </Section>
  )
}

/** The offset of the next page of a list. */
function nextOffset({ offset, limit, total }: { offset: number; limit: number; total: number }) {
  return offset + limit < total ? offset + limit : undefined
}

function More({
  query,
}: {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}) {
  const { t } = useTranslation()
  if (!query.hasNextPage) return null
  return (
    <Button
      size="xs"
      variant="subtle"
      color="gray"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {t('assets.more')}
    </Button>
  )
}

function Timeline({
  title,
  query,
  none,
  children,
}: {
  title: string
  query: {
    isPending: boolean
    isError: boolean
    error: unknown
    refetch: () => unknown
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => unknown
  }
  none: string
  children: ReactNode[]
}) {
  return (
    <Section title={title}>
      {query.isPending ? <Loading lines={3} /> : null}
      {query.isError && children.length === 0 ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : null}
      {!query.isPending && !query.isError && children.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : null}
      <ul className={classes.list}>{children}</ul>
      <More query={query} />
    </Section>
  )
}

function Stays({ id }: { id: number }) {
  const { t } = useTranslation()
  const query = useInfiniteQuery({
    ...api.isAssetMgmt.stays.infiniteOptions({
      input: (offset: number) => ({ id, offset, limit: pageSize }),
      initialPageParam: 0,
      getNextPageParam: nextOffset,
    }),
    refetchInterval: refreshMs,
  })
  const stays = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Timeline title={t('assets.zonesOf')} query={query} none={t('assets.noStays')}>
      {stays.map(({ id: stayId, zone, from, until }) => (
        <li key={stayId} className={classes.line}>
          <span>{zone ?? t('assets.hiddenZone')}</span>
          <Text span size="sm" c="dimmed">
            {until === null ? (
              t('assets.since', { time: formatTime(from) })
            ) : (
              <>
                {formatTime(from)} · {lengthOf(Date.parse(until) - Date.parse(from), t)}
              </>
            )}
          </Text>
        </li>
      ))}
    </Timeline>
  )
}

function Loans({ id }: { id: number }) {
  const { t } = useTranslation()
  const query = useInfiniteQuery(
    api.isAssetMgmt.loans.infiniteOptions({
      input: (offset: number) => ({ id, offset, limit: pageSize }),
      initialPageParam: 0,
      getNextPageParam: nextOffset,
    }),
  )
  const loans = query.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <Timeline title={t('assets.loans')} query={query} none={t('assets.noLoans')}>
      {loans.map(({ id: loanId, borrower, from, until }) => (
        <li key={loanId} className={classes.line}>
          <span>{borrower}</span>
          <Text span size="sm" c="dimmed">
            {until === null
              ? t('assets.since', { time: formatTime(from) })
              : `${formatTime(from)} – ${formatTime(until)}`}
          </Text>
        </li>
      ))}
    </Timeline>
  )
}
