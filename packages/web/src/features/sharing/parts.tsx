import type { Dashboard } from '@leitstand/contract/dashboards'
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconShare } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import type { TwinAction } from '../twins/index.ts'

const ShareDialog = onDemand(() => import('./ShareDialog.tsx'))

export const shareTwin: TwinAction = {
  label: 'sharing.share',
  icon: IconShare,
  needs: { subject: 'PublicSharing', action: 'manage' },
  Dialog: ({ twin, onClose }) => (
    <Suspense fallback={null}>
      <ShareDialog kind="twin" id={twin.id} title={twin.title} onClose={onClose} />
    </Suspense>
  ),
}

/** Shares a dashboard; for users who may. */
export function ShareBoard({ board }: { board: Dashboard }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const can = useCan()
  if (!can('PublicSharing', 'manage')) return null
  return (
    <>
      <Tooltip label={t('sharing.share')}>
        <ActionIcon size={34} variant="default" aria-label={t('sharing.share')} onClick={() => setOpen(true)}>
          <Icon of={IconShare} />
        </ActionIcon>
      </Tooltip>
      {open ? (
        <Suspense fallback={null}>
          <ShareDialog kind="dashboard" id={board.id} title={board.name} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
