import type { ObjectUser, UserKind } from '@leitstand/contract/objects'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import {
  IconBarrierBlock,
  IconBell,
  IconCalendarClock,
  IconCircleCheck,
  IconCpu,
  IconFileExport,
  IconGauge,
  IconHierarchy3,
  IconLayoutDashboard,
  IconLock,
  IconReport,
  IconRoute,
  IconSpeakerphone,
  IconTemplate,
} from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { Icon, type IconType } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { askUsers } from './ask.ts'
import classes from './objects.module.css'
import { groupsOf, keepsIt, type Used, userPath } from './users.ts'

const pageSize = 20

const icons: Record<UserKind, IconType> = {
  digitalTwin: IconHierarchy3,
  virtualDevice: IconCpu,
  state: IconGauge,
  rule: IconRoute,
  deviceTemplate: IconTemplate,
  dashboard: IconLayoutDashboard,
  alarmReport: IconReport,
  alarmMaintenance: IconBarrierBlock,
  alarmNotification: IconBell,
  savedExport: IconFileExport,
  exportSchedule: IconCalendarClock,
  warnMonitor: IconSpeakerphone,
  lock: IconLock,
}

interface UsedByProps {
  of: Used
  id: number
  /** links to the full list per kind; those kinds are only counted here */
  lists?: Partial<Record<UserKind, string>>
}

/** The section "Used by" of a page: what uses an object, by kind, with links. */
export function UsedBy(props: UsedByProps) {
  const { t } = useTranslation()
  return (
    <Section title={t('uses.title')} description={t(`uses.of.${props.of}`)}>
      <UserList {...props} />
    </Section>
  )
}

/** The same without a frame, for a sheet. */
export function UserList({ of, id, lists = {} }: UsedByProps) {
  const { t } = useTranslation()
  const query = useQuery({
    queryKey: ['uses', of, id],
    queryFn: () => askUsers[of]({ id, limit: pageSize }),
    // Always fresh: after changing a user and coming back, the change must show.
    staleTime: 0,
  })
  if (query.isError && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!query.data) return <Loading lines={3} />
  const { groups, hidden } = query.data
  if (groups.length === 0)
    return (
      <EmptyState
        icon={hidden ? IconLock : IconCircleCheck}
        title={t(hidden ? 'uses.onlyHidden' : 'uses.none')}
        order={3}
        compact
      />
    )
  return (
    <Stack gap="lg">
      {groupsOf(query.data).map(({ kind, count, more, first }) => (
        <section key={kind} aria-label={t(`uses.kinds.${kind}`)}>
          <Group gap={8} mb={4}>
            <Icon of={icons[kind]} size={16} />
            <Title order={3}>{t(`uses.kinds.${kind}`)}</Title>
            <Text span size="sm" c="dimmed" className="tabular">
              {more ? t('uses.moreThan', { count, shown: formatNumber(count, 0) }) : formatNumber(count, 0)}
            </Text>
          </Group>
          {lists[kind] ? (
            <RouterLink to={lists[kind]} size="sm">
              {t(`uses.lists.${kind}`)}
            </RouterLink>
          ) : (
            <Users of={of} id={id} kind={kind} count={count} first={first} />
          )}
        </section>
      ))}
      {hidden ? (
        <Text size="sm" c="dimmed">
          {t('uses.hidden')}
        </Text>
      ) : null}
    </Stack>
  )
}

interface UsersProps {
  of: Used
  id: number
  kind: UserKind
  count: number
  first: readonly ObjectUser[]
}

function Users({ of, id, kind, count, first }: UsersProps) {
  const { t } = useTranslation()
  const isComplete = first.length >= count
  const query = useInfiniteQuery({
    queryKey: ['uses', of, id, kind],
    initialPageParam: 0,
    queryFn: ({ pageParam }) => askUsers[of]({ id, userKind: kind, offset: pageParam, limit: pageSize }),
    getNextPageParam: ({ offset, total }) => (offset + pageSize < total ? offset + pageSize : undefined),
    enabled: !isComplete,
    staleTime: 0,
  })
  if (query.isError && !query.data)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} compact />
  if (!isComplete && first.length === 0 && !query.data) return <Loading lines={2} />
  const found = isComplete || !query.data ? first : query.data.pages.flatMap(({ items }) => items)
  const left = count - found.length
  return (
    <>
      <ul className={classes.users}>
        {found.map((user) => (
          <li key={`${user.kind}-${user.id}`} className={classes.user}>
            <RouterLink to={userPath(user)}>{user.title}</RouterLink>
            <Text span size="sm" c="dimmed">
              {user.notes.map((note) => t(`uses.notes.${note}`)).join(', ')}
            </Text>
            {keepsIt(of, user) ? (
              <Group gap={4} wrap="nowrap" c="dimmed">
                <Icon of={IconLock} size={14} />
                <Text span size="xs">
                  {t('uses.keeps')}
                </Text>
              </Group>
            ) : null}
          </li>
        ))}
      </ul>
      {!isComplete && left > 0 ? (
        <Button
          variant="subtle"
          size="compact-sm"
          mt={6}
          loading={query.isFetchingNextPage || !query.data}
          onClick={() => void query.fetchNextPage()}
        >
          {t('uses.showMore', { count: left, shown: formatNumber(left, 0) })}
        </Button>
      ) : null}
    </>
  )
}
