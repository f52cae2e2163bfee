import type { SharedTwin } from '@leitstand/contract/sharing'
import { Breadcrumbs, Button, Group, Stack, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { LiveDot } from '../../ui/display/LiveDot.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { isMissing, NotFound } from '../../ui/feedback/NotFound.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { LevelIcon } from '../twins/index.ts'
import { type OpenLink, PublicFrame } from './PublicFrame.tsx'
import { SharedStates } from './SharedStates.tsx'
import classes from './sharing.module.css'

const PublicBoard = onDemand(() => import('./PublicBoard.tsx'))

/** The current values of a shared twin, or a shared dashboard: `/public/{key}/tiles/{id}`. */
export default function PublicTilesPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  return (
    <PublicFrame>
      {(link) =>
        link.kind === 'dashboard' ? (
          <Suspense fallback={<Loading lines={8} />}>
            <PublicBoard link={link} />
          </Suspense>
        ) : (
          <Tiles key={id} link={link} id={Number(id) || link.objectId} />
        )
      }
    </PublicFrame>
  )
}

function Tiles({ link, id }: { link: OpenLink; id: number }) {
  const { t } = useTranslation()
  const query = useQuery(api.shared.twin.queryOptions({ input: { key: link.key, id } }))
  const twin = query.data as SharedTwin | undefined
  const pathOf = (twinId: number) => `/public/${link.key}/tiles/${twinId}`
  if (isMissing(query.error)) return <NotFound error={query.error} listPath={pathOf(link.objectId)} />
  if (query.isError && !twin)
    return <ErrorState order={1} error={query.error} onRetry={() => void query.refetch()} />
  if (!twin) return <Loading lines={8} />
  return (
    <div className={classes.tiles}>
      <header className={classes.head}>
        <div>
          {twin.parentId === null ? null : (
            <Breadcrumbs mb={4}>
              <RouterLink to={pathOf(link.objectId)} size="sm">
                {link.title}
              </RouterLink>
              {twin.parentId === link.objectId ? null : (
                <RouterLink to={pathOf(twin.parentId)} size="sm">
                  {t('sharing.up')}
                </RouterLink>
              )}
            </Breadcrumbs>
          )}
          <Title order={1}>{twin.title}</Title>
        </div>
        <LiveDot />
      </header>
      <Stack gap="lg">
        {twin.stateCount > 0 || twin.childCount === 0 ? (
          <SharedStates link={link} twinId={id} title={twin.title} />
        ) : null}
        {twin.childCount > 0 ? <Children link={link} id={id} pathOf={pathOf} /> : null}
      </Stack>
    </div>
  )
}

interface ChildrenProps {
  link: OpenLink
  id: number
  pathOf: (id: number) => string
}

const pageSize = 50

function Children({ link, id, pathOf }: ChildrenProps) {
  const { t } = useTranslation()
  const query = useInfiniteQuery(
    api.shared.children.infiniteOptions({
      input: (offset: number) => ({ key: link.key, id, offset, limit: pageSize }),
      initialPageParam: 0,
      getNextPageParam: ({ offset, limit, total }) => (offset + limit < total ? offset + limit : undefined),
    }),
  )
  const children = query.data?.pages.flatMap(({ items }) => items)
  if (!children) return <Loading lines={3} />
  return (
    <section aria-label={t('sharing.below')}>
      <Title order={2} mb="sm">
        {t('sharing.below')}
      </Title>
      <Group gap={8}>
        {children.map((child) => (
          <Button
            key={child.id}
            component="a"
            href={`#${pathOf(child.id)}`}
            variant="default"
            rightSection={
              child.level && child.level !== 'ok' ? <LevelIcon level={child.level} size={16} /> : null
            }
          >
            {child.title}
          </Button>
        ))}
      </Group>
      {query.hasNextPage ? (
        <Button
          variant="subtle"
          mt="sm"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('sharing.more')}
        </Button>
      ) : null}
    </section>
  )
}
