import { Alert } from '@mantine/core'
import { IconChecklist } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { accountPath } from '../../accounts/index.ts'
import classes from './branding.module.css'

/** What is not set up yet, each with the way there; nothing once all is. */
export function Missing({ accountId }: { accountId: number }) {
  const { t } = useTranslation()
  const { data } = useQuery(api.brand.setup.queryOptions({ input: { id: accountId } }))
  if (!data || data.missing.length === 0) return null
  const here = `/system-settings?account=${accountId}`
  const places: Readonly<Record<(typeof data.missing)[number], string>> = {
    imprint: `${here}&tab=page`,
    privacy: `${here}&tab=page`,
    mailServer: `${accountPath(accountId)}?tab=mail`,
    domain: `${accountPath(accountId)}?tab=domains`,
    terms: accountPath(accountId),
    feedback: accountPath(accountId),
  }
  return (
    <Alert color="yellow" icon={<Icon of={IconChecklist} />} title={t('branding.missingTitle')}>
      <ul className={classes.missing}>
        {data.missing.map((key) => (
          <li key={key}>
            <RouterLink to={places[key]}>{t(`branding.missing.${key}`)}</RouterLink>
          </li>
        ))}
      </ul>
    </Alert>
  )
}
