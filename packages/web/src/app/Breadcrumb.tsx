import { IconChevronRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { pageTitleStore } from '../lib/page.ts'
import { useStore } from '../lib/store.ts'
import { Icon } from '../ui/display/Icon.tsx'
import { crumbsOf } from './crumbs.ts'
import { usePathname, useScreen } from './pageEffects.ts'
import classes from './shell.module.css'

/** The breadcrumb: the drawer's entry, then the object shown. */
export function Breadcrumb() {
  const { t } = useTranslation()
  const pathname = usePathname()
  const screen = useScreen()
  const own = useStore(pageTitleStore)
  const crumbs = crumbsOf({ pathname, own, screenKey: screen?.key }, t)
  return (
    <nav aria-label={t('nav.breadcrumb')} style={{ flex: 1, minWidth: 0 }}>
      <ol className={classes.crumbs}>
        {crumbs.map((crumb, index) => {
          const isLast = index === crumbs.length - 1
          return (
            <li key={crumb.to ?? crumb.label} aria-current={isLast ? 'page' : undefined}>
              {crumb.to && !isLast ? (
                <Link to={crumb.to} style={{ color: 'inherit', textDecoration: 'none' }}>
                  {crumb.label}
                </Link>
              ) : (
                <span className={classes.crumbText}>{crumb.label}</span>
              )}
              {isLast ? null : <Icon of={IconChevronRight} size={14} />}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}
