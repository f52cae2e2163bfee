import { Skeleton, Tabs, Text, Title, VisuallyHidden } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { usePageTitle } from '../../lib/page.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Fact } from '../display/Fact.tsx'
import { Icon, type IconType } from '../display/Icon.tsx'
import { ErrorBoundary, ErrorState } from '../feedback/ErrorState.tsx'
import { Loading } from '../feedback/Loading.tsx'
import { isMissing, NotFound } from '../feedback/NotFound.tsx'
import classes from './layout.module.css'

export interface DetailTab {
  key: string
  label: string
  /** A number after the label, e.g. the number of states. */
  count?: number | undefined
  hidden?: boolean
  content: ReactNode
}

interface DetailPageProps {
  icon: IconType
  /** Title of the object; undefined while loading. */
  title: string | undefined
  /** Small line above the title: path of parents, account. */
  overline?: ReactNode
  badges?: ReactNode
  actions?: ReactNode
  /** What users have to know first, above the tabs. */
  notice?: ReactNode
  facts?: readonly { label: string; value: ReactNode; hidden?: boolean }[]
  tabs?: readonly DetailTab[]
  /** Instead of or below tabs. */
  children?: ReactNode
  /** Right column; below the content under 1264 px. */
  aside?: ReactNode
  loading?: boolean
  error?: unknown
  onRetry?: () => void
  /** The list of such objects, e.g. `/virtual-devices`: linked if this one does not exist. */
  listPath?: string
}

/**
 * A page of an object: header with icon, title, badges, key facts and actions; tabs in the address (`?tab=`),
 * each with its own error boundary. While loading it shows a skeleton of the same layout.
 */
export function DetailPage(props: DetailPageProps) {
  const { t } = useTranslation()
  usePageTitle(props.title)
  if (props.error !== undefined && props.error !== null && props.title === undefined) {
    if (props.listPath && isMissing(props.error))
      return <NotFound error={props.error} listPath={props.listPath} />
    return <ErrorState order={1} error={props.error} {...(props.onRetry ? { onRetry: props.onRetry } : {})} />
  }
  if (props.title === undefined) {
    return (
      <>
        <VisuallyHidden component="h1">{t('common.loading')}</VisuallyHidden>
        <Loading>
          <DetailSkeleton />
        </Loading>
      </>
    )
  }
  const facts = props.facts?.filter((fact) => !fact.hidden) ?? []
  const body = (
    <>
      {props.tabs ? <DetailTabs tabs={props.tabs} /> : null}
      {props.children}
    </>
  )
  return (
    <article>
      <header className={classes.detailHead}>
        <span className={classes.detailIcon}>
          <Icon of={props.icon} size={22} />
        </span>
        <div className={classes.detailTitle} data-single={!props.overline || undefined}>
          {props.overline ? (
            <Text size="xs" c="dimmed" component="div">
              {props.overline}
            </Text>
          ) : null}
          <div className={classes.badges}>
            <Title order={1} style={{ overflowWrap: 'anywhere' }}>
              {props.title}
            </Title>
            {props.badges}
          </div>
        </div>
        {props.actions ? <div className={classes.actions}>{props.actions}</div> : null}
      </header>
      {facts.length > 0 ? (
        <div className={classes.facts}>
          {facts.map((fact) => (
            <Fact key={fact.label} label={fact.label}>
              {fact.value}
            </Fact>
          ))}
        </div>
      ) : null}
      {props.notice ? <div className={classes.notice}>{props.notice}</div> : null}
      {props.aside ? (
        <div className={classes.withAside}>
          <div>{body}</div>
          <aside>{props.aside}</aside>
        </div>
      ) : (
        body
      )}
    </article>
  )
}

/** Tabs whose selection is in the address; only the active one is mounted. */
export function DetailTabs({ tabs, param = 'tab' }: { tabs: readonly DetailTab[]; param?: string }) {
  const [search, update] = useUrlSearch()
  const shown = tabs.filter((tab) => !tab.hidden)
  const first = shown[0]?.key ?? ''
  const wanted = one(search, param)
  const active = shown.some((tab) => tab.key === wanted) ? (wanted ?? first) : first
  const list = useShownTab(shown.findIndex((tab) => tab.key === active))
  return (
    <Tabs
      value={active}
      onChange={(key) => update({ [param]: key === null || key === first ? undefined : key }, { push: true })}
      keepMounted={false}
    >
      <Tabs.List mb="md" className={classes.tabList ?? ''} ref={list}>
        {shown.map((tab) => (
          <Tabs.Tab key={tab.key} value={tab.key}>
            {tab.label}
            {tab.count === undefined ? null : <span className={classes.tabCount}>{tab.count}</span>}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {shown.map((tab) => (
        <Tabs.Panel key={tab.key} value={tab.key}>
          <ErrorBoundary>
            <Suspense fallback={<Loading />}>{tab.content}</Suspense>
          </ErrorBoundary>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

/** Scrolls a tab row wider than the screen so that the active tab is in the middle. */
function useShownTab(index: number) {
  const list = useRef<HTMLDivElement>(null)
  const router = useRouter()
  useEffect(() => {
    const show = () => {
      const row = list.current
      const tab = row?.children.item(index)
      if (!row || !(tab instanceof HTMLElement)) return
      const middle = tab.getBoundingClientRect().left - row.getBoundingClientRect().left + tab.offsetWidth / 2
      row.scrollLeft += middle - row.clientWidth / 2
    }
    show()
    // After Back or a link the router scrolls the row to where it was before.
    const stop = router.subscribe('onRendered', () => {
      stop()
      show()
    })
    return stop
  }, [index, router])
  return list
}

function DetailSkeleton() {
  return (
    <div>
      <div className={classes.detailHead}>
        <Skeleton width={44} height={44} radius={10} />
        <div className={classes.detailTitle}>
          <Skeleton width={120} height={10} mb={10} />
          <Skeleton width={260} height={20} />
        </div>
      </div>
      <div className={classes.facts}>
        <Skeleton width={120} height={34} />
        <Skeleton width={120} height={34} />
        <Skeleton width={120} height={34} />
      </div>
      <Skeleton height={36} mb="md" />
      <Skeleton height={260} />
    </div>
  )
}
