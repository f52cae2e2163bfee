import { IconLock } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import classes from '../ui.module.css'
import { Icon } from './Icon.tsx'

/** Shows that a setting comes from the device's template and cannot be changed at the device. */
export function FixedMark() {
  const { t } = useTranslation()
  return (
    <span className={classes.fixed}>
      <Icon of={IconLock} size={12} />
      {t('common.fromTemplate')}
    </span>
  )
}
