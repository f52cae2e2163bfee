import type { Asset } from '@leitstand/contract/assets'
import { Button, Group } from '@mantine/core'
import { IconBuildingWarehouse, IconPlus, IconUpload } from '@tabler/icons-react'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { formatTime } from '../../lib/format.ts'
import { currentLanguage } from '../../lib/i18n.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan } from '../../lib/session.ts'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { useFavoriteAction } from '../../ui/display/useFavoriteAction.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { ListColumn, ListParams } from '../../ui/list/types.ts'
import { LoanText, PlaceBadge, ZoneNow } from './AssetBadges.tsx'
import { AssetsSwitch } from './AssetsSwitch.tsx'
import { assetFilter, assetPath, todayOf } from './pure.ts'
import { useAssetFilters } from './useAssetFilters.ts'
import { refreshMs } from './useAssets.ts'

const listKey = api.isAssetMgmt.fetch.key()

const ImportDialog = onDemand(() => import('./ImportDialog.tsx'))
const AddDialog = onDemand(() => import('./AddDialog.tsx'))

/** Assets, and where they are: `/is-assetmgmt/assets`. */
export default function AssetsPage() {
  const { t } = useTranslation()
  const can = useCan()
  const favorite = useFavoriteAction('asset', listKey)
  const [dialog, setDialog] = useState<'add' | 'import' | null>(null)
  const mayAdd = can('IsAssetMgmt', 'manage') && can('DigitalTwin', 'write')
  const asked = ({
    search,
    accountIds,
    orderBy,
    filters,
    favorites,
  }: Omit<ListParams, 'offset' | 'limit'>) => ({
    ...(favorites ? { favorites } : {}),
    ...(search ? { search } : {}),
    ...(accountIds ? { accountIds } : {}),
    ...(orderBy ? { order_by: orderBy as 'title' } : {}),
    ...assetFilter(filters, todayOf(new Date())),
  })
  const add = mayAdd ? (
    <>
      <Button
        variant="default"
        leftSection={<IconUpload size={16} aria-hidden />}
        onClick={() => setDialog('import')}
      >
        {t('assets.import')}
      </Button>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog('add')}>
        {t('assets.add')}
      </Button>
    </>
  ) : null
  return (
    <>
      <ListPage<Asset>
        name="assets"
        title={t('screens.assets.title')}
        description={t('assets.description')}
        primaryAction={
          <Group gap={8}>
            <AssetsSwitch view="assets" />
            {add}
          </Group>
        }
        columns={useColumns()}
        filters={useAssetFilters()}
        query={({ offset, limit, ...params }) => ({
          ...api.isAssetMgmt.fetch.queryOptions({ input: { offset, limit, ...asked(params) } }),
          refetchInterval: refreshMs,
        })}
        written={async (params, format) => ({
          ...(await client.isAssetMgmt.exportFile({ ...asked(params), format, language: currentLanguage() })),
          name: 'assets',
        })}
        rowKey={(asset) => asset.id}
        rowHref={(asset) => assetPath(asset.id)}
        rowMenu={(asset) => [favorite(asset)]}
        searchPlaceholder={t('assets.searchPlaceholder')}
        withAccounts
        withFavorites
        empty={
          <EmptyState
            icon={IconBuildingWarehouse}
            title={t('assets.empty')}
            text={t('assets.emptyText')}
            action={add === null ? undefined : <Group gap={8}>{add}</Group>}
          />
        }
      />
      <Suspense>
        {dialog === 'add' ? <AddDialog onClose={() => setDialog(null)} /> : null}
        {dialog === 'import' ? <ImportDialog onClose={() => setDialog(null)} /> : null}
      </Suspense>
    </>
  )
}

function useColumns(): ListColumn<Asset>[] {
  const { t } = useTranslation()
  return useMemo(
    () => [
      {
        key: 'title',
        title: t('assets.field.title'),
        sortable: true,
        width: 220,
        card: 'title',
        render: ({ title }) => title,
      },
      {
        key: 'zone',
        title: t('assets.field.zone'),
        sortable: true,
        width: 220,
        card: 'fact',
        render: (asset) => <ZoneNow asset={asset} />,
      },
      {
        key: 'place',
        title: t('assets.field.place'),
        card: 'fact',
        render: (asset) => <PlaceBadge asset={asset} />,
      },
      {
        key: 'homeZone',
        title: t('assets.field.homeZone'),
        hideBelow: 'sm',
        render: ({ homeZone }) => homeZone?.title ?? '–',
      },
      {
        key: 'category',
        title: t('assets.field.category'),
        sortable: true,
        hideBelow: 'sm',
        render: ({ category }) => category || '–',
      },
      {
        key: 'inventoryNumber',
        title: t('assets.field.inventoryNumber'),
        sortable: true,
        hideBelow: 'md',
        card: 'fact',
        render: ({ inventoryNumber }) => inventoryNumber || '–',
      },
      {
        key: 'seenAt',
        title: t('assets.field.seenAt'),
        sortable: true,
        optional: true,
        csv: ({ seenAt }) => (seenAt === null ? '' : formatTime(seenAt)),
        render: ({ seenAt }) => (seenAt === null ? '–' : <RelativeTime time={seenAt} />),
      },
      {
        key: 'dueAt',
        title: t('assets.field.loan'),
        sortable: true,
        hideBelow: 'md',
        render: ({ loan }) => (loan === null ? '–' : <LoanText loan={loan} />),
      },
      {
        key: 'tracker',
        title: t('assets.field.tracker'),
        optional: true,
        render: ({ tracker }) => tracker?.title ?? '–',
      },
      {
        key: 'account',
        title: t('assets.field.account'),
        optional: true,
        render: ({ accountName }) => accountName,
      },
    ],
    [t],
  )
}
