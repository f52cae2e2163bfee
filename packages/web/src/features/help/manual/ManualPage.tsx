import { Button, NativeSelect, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useBrand } from '../../../lib/brand.ts'
import { currentLanguage } from '../../../lib/i18n.ts'
import { onDemand } from '../../../lib/onDemand.ts'
import { useSession, verifySession } from '../../../lib/session.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { Mark } from '../../../ui/display/Mark.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { LanguageSwitch, SchemeSwitch } from '../../people/index.ts'
import classes from './manual.module.css'
import { chapters, isPageName, loadPage, type ManualPageName, pageNames } from './pages.ts'
import { titleOf, withNames } from './text.ts'

const ManualText = onDemand(async () => ({ default: (await import('./ManualText.tsx')).ManualText }))

const searchMs = 150

/** The manual: contents, search, pages. Without a session only where the operator allows it. */
export default function ManualPage() {
  const { t } = useTranslation()
  const session = useSession()
  const isOpen = useBrand()?.publicManual === true
  const isSignedIn = session.status === 'user'
  const isUnknown = session.status === 'unknown'
  useEffect(() => {
    // Fails only without a connection: then nobody is known to be signed in, and the page says how to.
    if (isUnknown) void verifySession().catch(() => undefined)
  }, [isUnknown])
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div className={classes.name}>
          <Mark size={28} />
          <Text fw={650}>{t('manual.of')}</Text>
        </div>
        <LanguageSwitch />
        <SchemeSwitch />
        <RouterLink to={isSignedIn ? '/home' : '/login'}>
          {t(isSignedIn ? 'manual.toConsole' : 'auth.signIn')}
        </RouterLink>
      </header>
      {isSignedIn || isOpen ? <Manual /> : isUnknown ? <Loading lines={8} /> : <Closed />}
    </div>
  )
}

function Closed() {
  const { t } = useTranslation()
  return (
    <div className={classes.body}>
      <EmptyState title={t('manual.closed')} text={t('manual.closedText')} order={1} />
    </div>
  )
}

/** All pages with their titles, in the language in use. */
function useTitles() {
  const { t, i18n } = useTranslation()
  const language = currentLanguage()
  return useQuery({
    queryKey: ['manual', 'titles', language, i18n.language],
    queryFn: async () =>
      Object.fromEntries(
        await Promise.all(
          pageNames.map(
            async (name) => [name, titleOf(withNames(await loadPage(language, name), t))] as const,
          ),
        ),
      ) as Record<ManualPageName, string>,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

function Manual() {
  const { t } = useTranslation()
  const { page: wanted } = useParams({ strict: false }) as { page?: string }
  const [search, update] = useUrlSearch()
  const navigate = useNavigate()
  const query = one(search, 'q') ?? ''
  const [sought] = useDebouncedValue(query, searchMs)
  const name = wanted === undefined ? 'start' : wanted
  const titles = useTitles()
  const go = (page: string) => void navigate({ to: `/manual/${page}` })
  return (
    <div className={classes.body}>
      <nav className={classes.contents} aria-label={t('manual.contents')}>
        {chapters.map(({ key, pages }) => (
          <div key={key}>
            <Text size="xs" fw={600} c="dimmed" px={10} mb={4}>
              {t(`manual.chapters.${key}`)}
            </Text>
            <ul>
              {pages.map((page) => (
                <li key={page}>
                  <RouterLink to={`/manual/${page}`}>{titles.data?.[page] ?? '…'}</RouterLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div>
        <TextInput
          type="search"
          data-list-search
          aria-label={t('manual.search')}
          placeholder={t('manual.search')}
          leftSection={<Icon of={IconSearch} size={16} />}
          value={query}
          onChange={({ currentTarget: { value } }) => update({ q: value || undefined })}
          maw={720}
          mb={20}
        />
        <NativeSelect
          className={classes.choice ?? ''}
          aria-label={t('manual.contents')}
          value={name}
          data={pageNames.map((page) => ({ value: page, label: titles.data?.[page] ?? page }))}
          onChange={({ currentTarget: { value } }) => go(value)}
          mb={20}
        />
        {query ? (
          <Hits query={sought} />
        ) : (
          <Page name={name} section={one(search, 'section')} titles={titles.data} />
        )}
      </div>
    </div>
  )
}

interface PageProps {
  name: string
  section: string | undefined
  titles: Record<ManualPageName, string> | undefined
}

function Page({ name, section, titles }: PageProps) {
  const { t } = useTranslation()
  const language = currentLanguage()
  const known = isPageName(name) ? name : undefined
  const page = useQuery({
    queryKey: ['manual', 'page', language, name],
    queryFn: () => loadPage(language, known ?? 'start'),
    enabled: known !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  useEffect(() => {
    if (!section) window.scrollTo({ top: 0 })
  }, [section])
  if (known === undefined)
    return <EmptyState title={t('manual.noPage')} text={t('manual.noPageText')} order={1} />
  if (page.error) return <ErrorState error={page.error} onRetry={() => void page.refetch()} />
  if (!page.data) return <Loading lines={8} />
  const at = pageNames.indexOf(known)
  const [before, after] = [pageNames[at - 1], pageNames[at + 1]]
  return (
    <Suspense fallback={<Loading lines={8} />}>
      <article>
        <ManualText key={known} markdown={page.data} section={section} />
      </article>
      <nav className={classes.turns} aria-label={t('manual.turn')}>
        {before ? <RouterLink to={`/manual/${before}`}>← {titles?.[before]}</RouterLink> : <span />}
        {after ? <RouterLink to={`/manual/${after}`}>{titles?.[after]} →</RouterLink> : <span />}
      </nav>
    </Suspense>
  )
}

function Hits({ query }: { query: string }) {
  const { t, i18n } = useTranslation()
  const [, update] = useUrlSearch()
  const language = currentLanguage()
  const index = useQuery({
    queryKey: ['manual', 'index', language, i18n.language],
    queryFn: async () => (await import('./search.ts')).readIndex(language, t),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (index.error) return <ErrorState error={index.error} onRetry={() => void index.refetch()} />
  if (!index.data) return <Loading lines={6} />
  const hits = index.data(query)
  return (
    <section className={classes.hits} aria-labelledby="manual-hits">
      <h1 id="manual-hits">{t('manual.hits', { query })}</h1>
      <div role="status">
        <Text size="sm" c="dimmed">
          {t('manual.hitCount', { count: hits.length })}
        </Text>
      </div>
      {hits.map(({ page, pageTitle, section, title, excerpt }) => (
        <div key={`${page}#${section}`} className={classes.hit}>
          <RouterLink
            to={section ? `/manual/${page}?section=${encodeURIComponent(section)}` : `/manual/${page}`}
            fw={600}
          >
            {title === pageTitle ? title : `${pageTitle}: ${title}`}
          </RouterLink>
          <Text size="sm" c="dimmed">
            {excerpt}
          </Text>
        </div>
      ))}
      {hits.length === 0 ? (
        <Button variant="default" mt="md" onClick={() => update({ q: undefined })}>
          {t('list.clearSearch')}
        </Button>
      ) : null}
    </section>
  )
}
