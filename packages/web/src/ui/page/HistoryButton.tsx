import { ActionIcon, Tooltip } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../display/Icon.tsx'

interface HistoryButtonProps {
  /** What the thing is called in the activity log. */
  subject: 'VirtualDevice' | 'DeviceTemplate' | 'DigitalTwin' | 'User' | 'Role' | 'Tenant'
  id: number
}

/** Leads to what was done with a thing, for those who may read the activity log. */
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
