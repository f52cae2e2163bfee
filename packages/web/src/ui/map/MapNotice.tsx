import { Button, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import classes from './map.module.css'
import { ForeignHosts } from './styleDocument.ts'

interface MapNoticeProps {
  /** of the selected style */
  title: string
  failure: { error: unknown } | undefined
  /** parts of the map are missing */
  patchy: boolean
  onRetry: () => void
}

/** Notice that the map is not the selected one, or incomplete. */
export function MapNotice({ title, failure, patchy, onRetry }: MapNoticeProps) {
  const { t } = useTranslation()
  const text = !failure
    ? patchy && t('map.patchy', { title })
    : failure.error instanceof ForeignHosts
      ? t('map.foreignHosts', { title, hosts: failure.error.origins.join(', ') })
      : t('map.unreachable', { title })
  return (
    <div role="status" className={classes.notice}>
      {text ? (
        <div className={classes.noticeBox}>
          <Icon of={IconAlertTriangle} size={16} />
          <Text size="sm">{text}</Text>
          {failure ? (
            <Button size="compact-sm" variant="default" onClick={onRetry}>
              {t('common.retry')}
            </Button>
          ) : null}
        </div>
      ) : null}
    </div>
  )
}
