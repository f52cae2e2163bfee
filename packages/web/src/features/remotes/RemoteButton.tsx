import { Button } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconServer2 } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { type ConnectorRow, type DeviceValues, toInput } from '../devices/index.ts'
import { useFirstUse } from '../drivers/index.ts'

const RemoteDialog = onDemand(() => import('./RemoteDialog.tsx'))

interface RemoteButtonProps {
  form: UseFormReturnType<DeviceValues>
  connector: ConnectorRow
  /** the wizard is done: its devices are created in the background */
  onImported: () => void
}

/** Imports devices from the network server behind the connector: one into the wizard, several as a job. */
export function RemoteButton({ form, connector, onImported }: RemoteButtonProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const firstUse = useFirstUse()
  return (
    <div>
      <Button
        variant="default"
        leftSection={<Icon of={IconServer2} size={16} />}
        onClick={() => setOpen(true)}
      >
        {t('devices.remote.open')}
      </Button>
      {open ? (
        <Suspense fallback={null}>
          <RemoteDialog
            connectorId={connector.id}
            connectorName={connector.name}
            onClose={() => setOpen(false)}
            onTake={(device) => {
              setOpen(false)
              const { latitude, longitude } = device
              form.setValues({
                externalId: device.externalId,
                title: device.name || device.remoteId,
                ...(device.description ? { description: device.description } : {}),
                ...(latitude === null ? {} : { latitude, longitude }),
              })
            }}
            onImport={async (title, selection) => {
              const { driverId, driverVersion, operationalStatus, parentId, tags, groups } = toInput(
                form.getValues(),
              )
              const accepted = await firstUse.ask({
                driverId,
                driverVersion,
                accountId: connector.accountId,
              })
              if (accepted === null) return
              const { acceptDriver: number } = accepted
              const job = await client.remote.import({
                title,
                selection,
                connectorId: connector.id,
                driverId,
                driverVersion,
                operationalStatus,
                parentId,
                tags,
                groups,
                acceptDrivers: driverId === null || number === undefined ? [] : [{ driverId, number }],
              })
              onImported()
              void navigate({
                to: '/background-jobs',
                search: { job: String(job.id) },
                ignoreBlocker: true,
              })
            }}
          />
        </Suspense>
      ) : null}
      {firstUse.dialog}
    </div>
  )
}
