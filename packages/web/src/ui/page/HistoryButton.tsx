import { ActionIcon, Tooltip } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../display/Icon.tsx'

interface HistoryButtonProps {
  /** Subject in the activity log. */
  subject: 'VirtualDevice' | 'DeviceTemplate' | 'DigitalTwin' | 'User' | 'Role' | 'Tenant'
  id: number
}

/** Links to an object's entries in the activity log, for users who may read it. */
export function HistoryButton({ subject, id }: HistoryButtonProps) {
  const { t } = useTranslation()
  const can = useCan()
  if (!can('all', 'manage')) return null
  return (
    <Tooltip label={t('common.history')}>
      <ActionIcon
        variant="default"
        size={34}
        aria-label={t('common.history')}
        renderRoot={(root) => <Link {...root} to="/system-logs" search={{ subject, object: String(id) }} />}
      >
        <Icon of={IconHistory} />
      </ActionIcon>
    </Tooltip>
  )
}
