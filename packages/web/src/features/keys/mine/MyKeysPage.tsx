import type { MyDoor } from '@leitstand/contract/keys'
import { Alert, Text, Title } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { IconKey, IconWifiOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useCan } from '../../../lib/session.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import classes from '../keys.module.css'
import { useLiveKeys } from '../useLiveKeys.ts'
import { DoorCard } from './DoorCard.tsx'
import { inOrder } from './view.ts'

/** When keys begin or end to open, the page follows within this time. */
const readAgainMs = 30_000

/** The doors the user has keys for, `/fm-access`: one large button each. */
export default function MyKeysPage() {
  const { t } = useTranslation()
  const { online } = useNetwork()
  useLiveKeys()
  const query = useQuery(api.isfmAccessMgmt.mine.queryOptions({ input: {}, refetchInterval: readAgainMs }))
  return (
    <div className={classes.mine}>
      <div className={classes.head}>
        <Title order={1}>{t('screens.fmAccess.title')}</Title>
        <ManageLink />
      </div>
      {online ? null : (
        <Alert color="yellow" icon={<Icon of={IconWifiOff} />} title={t('keys.offline')}>
          {t('keys.offlineText')}
        </Alert>
      )}
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : null}
      {query.isPending && query.fetchStatus !== 'paused' ? <Loading lines={5} /> : null}
      {query.data ? <Doors doors={query.data.items} online={online} /> : null}
    </div>
  )
}

function ManageLink() {
  const { t } = useTranslation()
  const can = useCan()
  return can('IsFmAccess', 'manage') ? (
    <Text size="sm">
      <RouterLink to="/fm-access-mgmt">{t('screens.fmAccessMgmt.title')}</RouterLink>
    </Text>
  ) : null
}

function Doors({ doors, online }: { doors: readonly MyDoor[]; online: boolean }) {
  const { t } = useTranslation()
  const [search] = useUrlSearch()
  const meant = one(search, 'door')
  const favorites = useQuery(api.favorite.list.queryOptions())
  const marked = (favorites.data?.items ?? []).flatMap(({ type, objectId }) =>
    type === 'lock' ? [objectId] : [],
  )
  if (doors.length === 0)
    return <EmptyState icon={IconKey} title={t('keys.none')} text={t('keys.noneText')} />
  return (
    <ul className={classes.doors}>
      {inOrder(doors, marked).map((door) => (
        <li key={door.lockId} className={classes.door}>
          <DoorCard door={door} online={online} isMeant={meant === String(door.lockId)} />
        </li>
      ))}
    </ul>
  )
}
