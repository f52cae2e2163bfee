import { CloseButton, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { Fact } from '../../ui/display/Fact.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { LoanText, PlaceBadge, ZoneNow } from './AssetBadges.tsx'
import { assetPath } from './pure.ts'
import { refreshMs } from './useAssets.ts'

/** An asset beside the map. */
export function AssetPanel({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation()
  const query = useQuery({
    ...api.isAssetMgmt.get.queryOptions({ input: { id } }),
    refetchInterval: refreshMs,
  })
  const asset = query.data
  return (
    <section aria-label={asset?.title ?? t('screens.asset.title')}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb={12}>
        {asset ? (
          <RouterLink to={assetPath(id)} fw={600} c="inherit">
            {asset.title}
          </RouterLink>
        ) : (
          <Text fw={600}>{t('screens.asset.title')}</Text>
        )}
        <CloseButton aria-label={t('common.close')} onClick={onClose} />
      </Group>
      {query.isPending ? <Loading lines={4} /> : null}
      {query.isError && !asset ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
      ) : null}
      {asset ? (
        <Stack gap="sm">
          <div>
            <PlaceBadge asset={asset} />
          </div>
          <Fact label={t('assets.field.zone')}>
            <ZoneNow asset={asset} />
          </Fact>
          {asset.homeZone === null ? null : (
            <Fact label={t('assets.field.homeZone')}>{asset.homeZone.title}</Fact>
          )}
          {asset.category === '' ? null : <Fact label={t('assets.field.category')}>{asset.category}</Fact>}
          {asset.inventoryNumber === '' ? null : (
            <Fact label={t('assets.field.inventoryNumber')}>{asset.inventoryNumber}</Fact>
          )}
          {asset.seenAt === null ? null : (
            <Fact label={t('assets.field.seenAt')}>
              <RelativeTime time={asset.seenAt} />
            </Fact>
          )}
          {asset.loan === null ? null : (
            <Fact label={t('assets.field.loan')}>
              <LoanText loan={asset.loan} />
            </Fact>
          )}
        </Stack>
      ) : null}
    </section>
  )
}
