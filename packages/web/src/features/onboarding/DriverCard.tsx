import { Radio } from '@mantine/core'
import { IconCpu, IconRosetteDiscountCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { StatusBadge } from '../../ui/display/Badges.tsx'
import { Thumbnail } from '../../ui/display/Thumbnail.tsx'
import cards from '../../ui/forms/cards.module.css'
import type { DriverRow } from '../devices/index.ts'
import classes from './create.module.css'

/** A driver to choose: picture, title, manufacturer and model. */
export function DriverCard({ driver }: { driver: DriverRow }) {
  const { t } = useTranslation()
  return (
    <Radio.Card value={String(driver.id)} className={classes.driver ?? ''}>
      <Thumbnail fileId={driver.pictureId} icon={IconCpu} height={56} />
      <span className={classes.driverText}>
        <span className={cards.cardTitle}>
          <Radio.Indicator size="xs" />
          {driver.title}
        </span>
        <span className={cards.cardText}>
          {[driver.manufacturer, driver.model].filter(Boolean).join(' · ') || driver.description}
        </span>
        {driver.delivered ? (
          <span>
            <StatusBadge tone="accent" icon={IconRosetteDiscountCheck} label={t('drivers.delivered')} />
          </span>
        ) : null}
      </span>
    </Radio.Card>
  )
}
