import type { Alarm } from '@leitstand/contract/alarms'
import { useTranslation } from 'react-i18next'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { originPath } from './pure.ts'

/** What an alarm is about, as a link. */
export function AlarmOrigin({ alarm, plain = false }: { alarm: Alarm; plain?: boolean }) {
  const { t } = useTranslation()
  return (
    <RouterLink to={originPath(alarm)} {...(plain ? { c: 'inherit' } : {})}>
      {alarm.originTitle || t('alarms.platform')}
    </RouterLink>
  )
}
