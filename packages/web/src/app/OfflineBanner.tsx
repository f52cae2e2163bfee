import { useNetwork } from '@mantine/hooks'
import { IconCloudOff } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { live, useLiveStatus } from '../lib/live.ts'
import { Icon } from '../ui/display/Icon.tsx'
import { RelativeTime } from '../ui/display/RelativeTime.tsx'
import classes from './shell.module.css'

/** A connection that is lost for a moment, such as by an update of the server, is no news. */
const lostAfterMs = 5_000

/** Says that the server cannot be reached, and how old what is shown is. */
export function OfflineBanner() {
  const { t } = useTranslation()
  const { online } = useNetwork()
  const isLost = useLost()
  if (online && !isLost) return null
  const contactMs = live.lastContactMs
  return (
    <div className={classes.offline} role="alert">
      <Icon of={IconCloudOff} />
      <span>
        {t(online ? 'common.unreachableBanner' : 'common.offlineBanner')}
        {contactMs === null ? null : (
          <>
            {' '}
            {t('common.shownFrom')} <RelativeTime time={contactMs} />
          </>
        )}
      </span>
    </div>
  )
}

/** Whether there has been no live connection for some seconds. */
function useLost(): boolean {
  const isLive = useLiveStatus() === 'live'
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    if (isLive) {
      setLost(false)
      return
    }
    const timer = setTimeout(() => setLost(true), lostAfterMs)
    return () => clearTimeout(timer)
  }, [isLive])
  return isLost
}
