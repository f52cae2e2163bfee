import { ActionIcon, Alert, Title, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconStar, IconStarOff } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { loadAllTexts } from '../../lib/i18n.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { thingPath } from '../../lib/recent.ts'
import { useCan, useUser } from '../../lib/session.ts'
import { useNow } from '../../lib/time.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { toLocation } from '../../ui/page/location.ts'
import classes from './home.module.css'
import { kindIcons } from './kindIcons.ts'

/** Comes with the texts that the first load leaves out. */
const Overview = onDemand(async () => {
  const [overview] = await Promise.all([import('./Overview.tsx'), loadAllTexts()])
  return overview
})

/** The start page: the state of the installation, and favourites as tiles. */
export default function HomePage() {
  const { t } = useTranslation()
  const user = useUser()
  const can = useCan()
  const hour = new Date(useNow()).getHours()
  const time = hour < 11 ? 'morning' : hour < 18 ? 'day' : 'evening'
  return (
    <div className={classes.page}>
      <Title order={1} mb={20}>
        {t(`home.greeting.${time}`)}
        {user.firstName ? `, ${user.firstName}` : ''}
      </Title>
      {can('super.system', 'manage') ? <LoadAlarm /> : null}
      <Suspense fallback={<div className={classes.overview} />}>
        <Overview />
      </Suspense>
      <section aria-labelledby="home-favorites">
        <Title order={2} id="home-favorites" mb={10}>
          {t('home.favorites')}
        </Title>
        <Favorites />
      </section>
    </div>
  )
}

/** Polling interval for the server's load. */
const loadEveryMs = 30_000

/** Warns administrators that the platform responds slowly, with the cause if known. */
function LoadAlarm() {
  const { t } = useTranslation()
  const load = useQuery(api.system.load.queryOptions({ refetchInterval: loadEveryMs }))
  const loop = load.data?.eventLoop
  if (!loop?.isSlow) return null
  const [longest] = loop.longest
  return (
    <Alert
      color="red"
      variant="light"
      icon={<Icon of={IconAlertTriangle} />}
      title={t('home.slow.title')}
      mb={20}
    >
      {t('home.slow.text', { ms: Math.round(loop.max) })}
      {longest ? ` ${t('home.slow.longest', { operation: longest.operation, ms: longest.ms })}` : ''}
    </Alert>
  )
}

function Favorites() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const list = useQuery(api.favorite.list.queryOptions())
  const remove = useMutation(
    api.favorite.delete.mutationOptions({
      onError: (error) => notifyError(error),
      onSettled: () => cache.invalidateQueries({ queryKey: api.favorite.key() }),
    }),
  )
  if (list.isLoadingError)
    return <ErrorState error={list.error} onRetry={() => void list.refetch()} compact />
  if (!list.data) return <Loading lines={3} />
  if (list.data.items.length === 0) {
    return (
      <div className={classes.box}>
        <EmptyState icon={IconStar} title={t('home.noFavorites')} text={t('home.noFavoritesHint')} compact />
      </div>
    )
  }
  return (
    <ul className={classes.tiles}>
      {list.data.items.map((favorite) => (
        <li key={favorite.id} className={classes.tile}>
          <Link
            {...toLocation(thingPath(favorite.type, favorite.objectId))}
            className={classes.tileLink ?? ''}
          >
            <span className={classes.tileIcon}>
              <Icon of={kindIcons[favorite.type]} />
            </span>
            <span className={classes.tileText}>
              <span className={classes.tileTitle}>{favorite.title}</span>
              <span className={classes.tileKind}>{t(`home.kinds.${favorite.type}`)}</span>
            </span>
          </Link>
          <Tooltip label={t('home.removeFavorite', { title: favorite.title })}>
            <ActionIcon
              size={28}
              className={classes.tileRemove ?? ''}
              aria-label={t('home.removeFavorite', { title: favorite.title })}
              onClick={() => remove.mutate({ id: favorite.id })}
            >
              <Icon of={IconStarOff} size={16} />
            </ActionIcon>
          </Tooltip>
        </li>
      ))}
    </ul>
  )
}
