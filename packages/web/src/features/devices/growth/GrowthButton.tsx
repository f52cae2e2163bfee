import { ActionIcon, Modal, Tooltip } from '@mantine/core'
import { IconChartLine } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { onDemand } from '../../../lib/onDemand.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'

const Growth = onDemand(() => import('./Growth.tsx'))

/** Opens the device growth chart. */
export function GrowthButton() {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Tooltip label={t('devices.growth.open')}>
        <ActionIcon
          variant="default"
          size={34}
          aria-label={t('devices.growth.open')}
          onClick={() => setOpen(true)}
        >
          <Icon of={IconChartLine} />
        </ActionIcon>
      </Tooltip>
      <Modal opened={open} onClose={() => setOpen(false)} title={t('devices.growth.title')} size="xl">
        <Suspense fallback={<Loading />}>
          <Growth />
        </Suspense>
      </Modal>
    </>
  )
}
