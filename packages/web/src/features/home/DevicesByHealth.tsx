import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { HealthCounts } from '../../ui/display/HealthCounts.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import classes from './home.module.css'

const refreshMs = 30_000

/** Devices by health; each count leads to its devices. */
export function DevicesByHealth() {
  const { t } = useTranslation()
  const { data } = useQuery(
    api.virtualdevice.statistics.queryOptions({ input: {}, refetchInterval: refreshMs }),
  )
  // Without devices there is nothing to show; an error is shown by the alarms and the list of devices.
  if (!data || data.total === 0) return null
  return (
    <div className={classes.devices}>
      <Title order={2} mb={10}>
        {t('screens.devices.title')}
      </Title>
      <HealthCounts
        label={t('screens.devices.title')}
        counts={data.byHealth}
        tile={(health, tile) => (
          <RouterLink key={health} to={`/virtual-devices?health=${health}`} underline="never" {...tile} />
        )}
      />
    </div>
  )
}
