import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { RouterLink } from '../../../ui/page/RouterLink.tsx'
import { StateBadge } from './StateBadge.tsx'

/** Next to the title of a bundled driver: a newer version is available, with a link to its changes. */
export function UpdateNote({ driverId }: { driverId: number }) {
  const { t } = useTranslation()
  const waiting = useQuery(
    api.devicedrivers.library.queryOptions({ input: { states: ['updatable'], limit: 1000 } }),
  )
  const entry = waiting.data?.items.find((each) => each.driverId === driverId)
  if (!entry) return null
  return (
    <RouterLink
      to={`/virtual-device-drivers/library/${entry.key}`}
      title={t('drivers.library.lookAt', { title: entry.title })}
      underline="never"
    >
      <StateBadge state={entry.state} />
    </RouterLink>
  )
}
