import { Tooltip } from '@mantine/core'
import {
  IconChevronRight,
  IconClock,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconStar,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../lib/api.ts'
import { useBrand } from '../lib/brand.ts'
import { onDemand } from '../lib/onDemand.ts'
import { thingPath } from '../lib/recent.ts'
import { sessionMeets, useSession, useUser } from '../lib/session.ts'
import { useStore } from '../lib/store.ts'
import { Icon, type IconType } from '../ui/display/Icon.tsx'
import { Mark } from '../ui/display/Mark.tsx'
import { toLocation } from '../ui/page/location.ts'
import { drawerMiniStore, foldedStore } from './drawerState.ts'
import { activeNavPath, entryRules, type NavItem, navigation, navLabel, visibleNavigation } from './nav.ts'
import { usePathname } from './pageEffects.ts'
import { quickEntries } from './quick.ts'
import { screenByPath } from './routes.ts'
import classes from './shell.module.css'
import { visitStore } from './visits.ts'

const DrawerLinks = onDemand(() => import('./DrawerLinks.tsx'))

/** Content of the drawer: brand, what is often needed, groups of entries, the switch between wide and narrow. */
export const Drawer = memo(function Drawer({ mini }: { mini: boolean }) {
  const { t } = useTranslation()
  const session = useSession()
  const pathname = usePathname()
  const brand = useBrand()
  const groups = visibleNavigation(navigation, {
    mayOpen: (path) => sessionMeets(session, entryRules[path] ?? screenByPath(path)?.rule ?? 'session'),
    flag: (name) => session.status === 'user' && session.flags[name] === true,
  })
  const active = activeNavPath(groups, pathname)
  const folded = useStore(foldedStore)
  // A folded group still shows where one is.
  const isShown = (key: string) => (item: NavItem) => mini || !folded.includes(key) || item.path === active
  const entries = useRef<HTMLDivElement>(null)
  // In a short window, the active entry can be outside the visible part of the drawer. Scrolled in the next frame: at once,
  // the browser would have to lay out the whole page for it.
  useEffect(() => {
    if (!active) return undefined
    const frame = requestAnimationFrame(() =>
      entries.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' }),
    )
    return () => cancelAnimationFrame(frame)
  }, [active])
  return (
    <div className={`${classes.drawerInner} ${mini ? classes.mini : ''}`}>
      <Head mini={mini} />
      <div ref={entries} className={classes.navScroll}>
        {mini ? null : <Quick pathname={pathname} />}
        {groups.map((group, index) => (
          <NavSection
            key={group.key}
            name={group.key}
            label={t(`nav.groups.${group.key}`)}
            mini={mini}
            isFirst={index === 0}
            isOpen={mini || !folded.includes(group.key)}
          >
            {group.items.filter(isShown(group.key)).map((item) => (
              <li key={item.path}>
                <Entry
                  path={item.path}
                  icon={item.icon}
                  label={t(navLabel(item.path))}
                  isActive={active === item.path}
                  mini={mini}
                />
              </li>
            ))}
          </NavSection>
        ))}
        {brand?.hasDrawerLinks ? (
          <Suspense>
            <DrawerLinks mini={mini} />
          </Suspense>
        ) : null}
      </div>
      <MiniSwitch mini={mini} />
    </div>
  )
})

/** Logo and name: home, or where the brand wants to lead. */
function Head({ mini }: { mini: boolean }) {
  const { t } = useTranslation()
  const brand = useBrand()
  const name = t('common.product')
  const shown = {
    className: classes.brand ?? '',
    'data-logo': brand?.logoPosition,
    'aria-label': name,
    children: (
      <>
        <Mark />
        {mini ? null : <span>{name}</span>}
      </>
    ),
  }
  return brand?.sidebarIconLink ? (
    <a href={brand.sidebarIconLink} {...shown} />
  ) : (
    <Link to="/home" {...shown} />
  )
}

/** Favourites and what was opened lately; nothing before there is any. */
function Quick({ pathname }: { pathname: string }) {
  const { t } = useTranslation()
  const user = useUser()
  const visits = useStore(visitStore)
  const favorites = useQuery(api.favorite.list.queryOptions())
  const entries = quickEntries(
    (favorites.data?.items ?? []).map(({ type, objectId, title }) => ({
      path: thingPath(type, objectId),
      title,
    })),
    visits,
    user.id,
    pathname,
  )
  const isOpen = !useStore(foldedStore).includes('quick')
  if (entries.length === 0) return null
  return (
    <NavSection name="quick" label={t('nav.groups.quick')} mini={false} isFirst isOpen={isOpen}>
      {entries
        .filter(() => isOpen)
        .map(({ path, title, favorite }) => (
          <li key={path}>
            <Entry
              path={path}
              icon={favorite ? IconStar : IconClock}
              label={title}
              hint={t(favorite ? 'nav.favorite' : 'nav.recent', { title })}
              isActive={path === pathname}
              mini={false}
            />
          </li>
        ))}
    </NavSection>
  )
}

/** A group that folds. */
function NavSection({
  name,
  label,
  mini,
  isFirst,
  isOpen,
  children,
}: {
  name: string
  label: string
  mini: boolean
  isFirst: boolean
  isOpen: boolean
  children: ReactNode
}) {
  const toggle = () =>
    foldedStore.set((names) =>
      names.includes(name) ? names.filter((each) => each !== name) : [...names, name],
    )
  return (
    <div>
      {mini ? (
        isFirst ? null : (
          <div className={classes.groupRule} />
        )
      ) : (
        <button type="button" className={classes.groupTitle} aria-expanded={isOpen} onClick={toggle}>
          <span>{label}</span>
          <span className={classes.chevron} data-open={isOpen || undefined}>
            <Icon of={IconChevronRight} size={14} />
          </span>
        </button>
      )}
      <ul className={classes.entries} aria-label={label}>
        {children}
      </ul>
    </div>
  )
}

function Entry({
  path,
  icon,
  label,
  hint,
  isActive,
  mini,
}: {
  path: string
  icon: IconType
  label: string
  hint?: string
  isActive: boolean
  mini: boolean
}) {
  const link = (
    <Link
      {...toLocation(path)}
      className={classes.link ?? ''}
      data-active={isActive || undefined}
      aria-current={isActive ? 'page' : undefined}
      aria-label={hint ?? (mini ? label : undefined)}
      title={hint}
    >
      <Icon of={icon} />
      {mini ? null : <span className={classes.linkText}>{label}</span>}
    </Link>
  )
  return mini ? (
    <Tooltip label={label} position="right" openDelay={100}>
      {link}
    </Tooltip>
  ) : (
    link
  )
}

function MiniSwitch({ mini }: { mini: boolean }) {
  const { t } = useTranslation()
  const label = t(mini ? 'nav.expand' : 'nav.collapse')
  const button = (
    <button
      type="button"
      className={classes.link}
      aria-label={label}
      onClick={() => drawerMiniStore.set(!mini)}
    >
      <Icon of={mini ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse} />
      {mini ? null : <span className={classes.linkText}>{label}</span>}
    </button>
  )
  return (
    <div className={`${classes.drawerFoot} mantine-visible-from-sm`}>
      {mini ? (
        <Tooltip label={label} position="right" openDelay={100}>
          {button}
        </Tooltip>
      ) : (
        button
      )}
    </div>
  )
}
