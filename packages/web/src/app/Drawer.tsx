import { Menu, Tooltip } from '@mantine/core'
import {
  IconChevronRight,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { memo, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { sessionMeets, useSession } from '../lib/session.ts'
import { useStore } from '../lib/store.ts'
import { Icon } from '../ui/display/Icon.tsx'
import { Mark } from '../ui/display/Mark.tsx'
import { drawerMiniStore, unfoldedStore } from './drawerState.ts'
import { activeNavPath, type NavItem, navigation, navLabel, visibleNavigation } from './nav.ts'
import { usePathname } from './pageEffects.ts'
import { screenByPath } from './routes.ts'
import classes from './shell.module.css'

/** Content of the drawer: brand, groups of entries the user may open, the switch between wide and narrow. */
export const Drawer = memo(function Drawer({ mini }: { mini: boolean }) {
  const { t } = useTranslation()
  const session = useSession()
  const pathname = usePathname()
  const groups = visibleNavigation(navigation, {
    mayOpen: (path) => sessionMeets(session, screenByPath(path)?.rule ?? 'session'),
    flag: (name) => session.status === 'user' && session.flags[name] === true,
  })
  const active = activeNavPath(groups, pathname)
  const entries = useRef<HTMLDivElement>(null)
  // In a short window, the active entry can be outside the visible part of the drawer.
  useEffect(() => {
    if (active) entries.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div className={`${classes.drawerInner} ${mini ? classes.mini : ''}`}>
      <Link to="/home" className={classes.brand ?? ''} aria-label="Leitstand">
        <Mark />
        {mini ? null : 'Leitstand'}
      </Link>
      <div ref={entries} className={classes.navScroll}>
        {groups.map((group, index) => (
          <div key={group.key}>
            {mini ? (
              index > 0 ? (
                <div className={classes.groupRule} />
              ) : null
            ) : (
              <div className={classes.groupTitle} aria-hidden>
                {t(`nav.groups.${group.key}`)}
              </div>
            )}
            <ul className={classes.entries} aria-label={t(`nav.groups.${group.key}`)}>
              {group.items.map((item) => (
                <li key={item.path}>
                  <Entry item={item} active={active} mini={mini} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <MiniSwitch mini={mini} />
    </div>
  )
})

function Entry({ item, active, mini }: { item: NavItem; active: string | undefined; mini: boolean }) {
  const { t } = useTranslation()
  const label = t(navLabel(item))
  if (item.children && item.children.length > 1) {
    return mini ? (
      <MiniParent item={item} active={active} label={label} />
    ) : (
      <Parent item={item} active={active} label={label} />
    )
  }
  const link = (
    <Link
      to={item.path}
      className={classes.link ?? ''}
      data-active={active === item.path || undefined}
      aria-current={active === item.path ? 'page' : undefined}
      aria-label={mini ? label : undefined}
    >
      <Icon of={item.icon} />
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

/** An entry with children: unfolds in place; open while one of its screens is shown. */
function Parent({ item, active, label }: { item: NavItem; active: string | undefined; label: string }) {
  const { t } = useTranslation()
  const unfolded = useStore(unfoldedStore)
  const holdsActive = item.children?.some((child) => child.path === active) ?? false
  const open = holdsActive || unfolded.includes(item.path)
  return (
    <>
      <button
        type="button"
        className={classes.link}
        aria-expanded={open}
        onClick={() =>
          unfoldedStore.set((paths) =>
            paths.includes(item.path) ? paths.filter((path) => path !== item.path) : [...paths, item.path],
          )
        }
      >
        <Icon of={item.icon} />
        <span className={classes.linkText}>{label}</span>
        <span className={classes.chevron} data-open={open || undefined}>
          <Icon of={IconChevronRight} size={15} />
        </span>
      </button>
      {open ? (
        <div className={classes.sub}>
          {item.children?.map((child) => (
            <Link
              key={child.path}
              to={child.path}
              className={classes.link ?? ''}
              data-active={active === child.path || undefined}
              aria-current={active === child.path ? 'page' : undefined}
            >
              <span className={classes.linkText}>{t(navLabel(child))}</span>
            </Link>
          ))}
        </div>
      ) : null}
    </>
  )
}

function MiniParent({ item, active, label }: { item: NavItem; active: string | undefined; label: string }) {
  const { t } = useTranslation()
  const holdsActive = item.children?.some((child) => child.path === active) ?? false
  return (
    <Menu position="right-start" trigger="click-hover" openDelay={80} closeDelay={120} withinPortal>
      <Menu.Target>
        <button
          type="button"
          className={classes.link}
          data-active={holdsActive || undefined}
          aria-label={label}
        >
          <Icon of={item.icon} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{label}</Menu.Label>
        {item.children?.map((child) => (
          <Menu.Item key={child.path} renderRoot={(props) => <Link {...props} to={child.path} />}>
            {t(navLabel(child))}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
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
