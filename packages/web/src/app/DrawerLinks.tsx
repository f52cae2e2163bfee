import type { DrawerIcon } from '@leitstand/contract/branding'
import {
  IconBook,
  IconBuilding,
  IconChartLine,
  IconDatabase,
  IconLink,
  IconMail,
  IconMap,
  IconNetwork,
  IconPhone,
  IconShield,
  IconSitemap,
  IconTool,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../lib/api.ts'
import { currentLanguage } from '../lib/i18n.ts'
import { Icon, type IconType } from '../ui/display/Icon.tsx'
import classes from './shell.module.css'

const icons: Readonly<Record<DrawerIcon, IconType>> = {
  link: IconLink,
  chart: IconChartLine,
  map: IconMap,
  book: IconBook,
  mail: IconMail,
  phone: IconPhone,
  building: IconBuilding,
  tool: IconTool,
  network: IconNetwork,
  flow: IconSitemap,
  database: IconDatabase,
  shield: IconShield,
}

/** Links of the operator, and Grafana; each opens in a new window. */
export default function DrawerLinks({ mini }: { mini: boolean }) {
  const { t } = useTranslation()
  const domain = window.location.hostname
  const { data } = useQuery(api.drawerLink.list.queryOptions({ input: { domain }, staleTime: 300_000 }))
  if (!data) return null
  const links = [
    ...(data.grafanaUrl === null
      ? []
      : [{ label: t('drawerLinks.grafana'), icon: 'chart' as const, url: data.grafanaUrl }]),
    ...data.links.map(({ title, icon, url }) => ({ label: title[currentLanguage()], icon, url })),
  ]
  const label = t('drawerLinks.group')
  return (
    <div>
      {mini ? <div className={classes.groupRule} /> : <div className={classes.groupTitle}>{label}</div>}
      <ul className={classes.entries} aria-label={label}>
        {links.map((link) => (
          <li key={`${link.label} ${link.url}`}>
            <a
              href={link.url}
              target="_blank"
              rel="noopener noreferrer"
              className={classes.link}
              title={mini ? link.label : undefined}
              aria-label={mini ? link.label : undefined}
            >
              <Icon of={icons[link.icon]} />
              {mini ? null : <span className={classes.linkText}>{link.label}</span>}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}
