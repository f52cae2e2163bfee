import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { HealthBadge } from '../../ui/display/Badges.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './health.module.css'

/** The device that feeds a state of a twin, with its health: of several the one in the worst condition. */
export default function StateOrigin({ twinId, stateId }: { twinId: number; stateId: number }) {
  const { t } = useTranslation()
  const query = useQuery(
    api.health.sources.queryOptions({ input: { id: twinId }, refetchInterval: refreshMs }),
  )
  const source = query.data?.items.find((each) => each.stateId === stateId)
  if (!source) return null
  const { device, count } = source
  return (
    <div className={classes.origin}>
      <RouterLink to={`/virtual-devices/${device.id}`} size="xs">
        {device.title}
      </RouterLink>
      {count > 1 ? <span>{t('health.moreSources', { count: count - 1 })}</span> : null}
      <HealthBadge health={device.health} />
    </div>
  )
}

/** Health is not sent over the live connection of a twin. */
const refreshMs = 60_000
