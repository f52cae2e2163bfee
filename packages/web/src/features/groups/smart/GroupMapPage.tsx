import type { SmartGroup } from '@leitstand/contract/smartGroups'
import { Button, Group, Title } from '@mantine/core'
import { IconStack2 } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { isMissing, NotFound } from '../../../ui/feedback/NotFound.tsx'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { MapPage } from '../../../ui/map/MapPage.tsx'
import { DeviceClusters } from '../../devices/index.ts'
import { devicesOf, refreshMs } from './queries.ts'

/** The devices of a smart group on a map: that of `?group=`, else the first one. */
export default function GroupMapPage() {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const asked = Number(one(search, 'group'))
  const isAsked = Number.isSafeInteger(asked) && asked > 0
  const chosen = useQuery({
    ...api.smartGroup.get.queryOptions({ input: { id: asked } }),
    enabled: isAsked,
  })
  const first = useQuery({ ...api.smartGroup.list.queryOptions({ input: { limit: 1 } }), enabled: !isAsked })
  const found = isAsked ? chosen : first
  const group = isAsked ? chosen.data : first.data?.items[0]
  if (group) return <GroupMap group={group} />
  if (found.isError)
    return isMissing(found.error) ? (
      <NotFound error={found.error} listPath="/virtual-device-groups" />
    ) : (
      <ErrorState order={1} error={found.error} onRetry={() => void found.refetch()} />
    )
  if (!found.data) return <Loading lines={8} />
  return (
    <>
      <Title order={1} mb={16}>
        {t('smartGroups.mapTitle')}
      </Title>
      <EmptyState icon={IconStack2} title={t('smartGroups.empty')} text={t('smartGroups.emptyText')} />
    </>
  )
}

const choices = 20

async function findGroups(search: string) {
  const { items } = await client.smartGroup.list({ search, limit: choices })
  return items.map(({ id, title }) => ({ value: String(id), label: title }))
}

const titleOf = async (id: string) => (await client.smartGroup.get({ id: Number(id) })).title

function GroupMap({ group }: { group: SmartGroup }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [, update] = useUrlSearch()
  const wanted = devicesOf(group)
  const extent = useQuery(
    api.virtualdevice.geoMetaInfos.queryOptions({
      input: { filters: wanted },
      placeholderData: keepPreviousData,
      refetchInterval: refreshMs,
    }),
  )
  return (
    <MapPage
      heading={<Title order={1}>{t('smartGroups.mapTitle')}</Title>}
      actions={
        <Button
          variant="default"
          leftSection={<Icon of={IconStack2} />}
          onClick={() => void navigate({ to: `/virtual-device-groups/${group.id}` })}
        >
          {t('smartGroups.toGroup')}
        </Button>
      }
      above={
        <Group maw={420}>
          <EntityPicker
            label={t('smartGroups.group')}
            value={String(group.id)}
            onChange={(id) => (id ? update({ group: id }, { push: true }) : undefined)}
            load={findGroups}
            labelOf={titleOf}
            clearable={false}
          />
        </Group>
      }
      extent={extent}
      asked={wanted}
      none={{ title: t('devices.map.none'), text: t('devices.map.noneText') }}
    >
      {(bounds) => <DeviceClusters wanted={{ filters: wanted }} bounds={bounds} />}
    </MapPage>
  )
}
