import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { ConfirmDanger, ConfirmDialog } from '../../ui/feedback/ConfirmDanger.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { dependenciesOf } from '../objects/index.ts'
import { type Connector, invalidateConnectors } from './queries.ts'

interface DeleteConnectorProps {
  connector: Connector | undefined
  onClose: () => void
  /** Leaves the page of the deleted connector before other data is read again. */
  onDeleted?: () => Promise<void>
}

/** Deletes a connector after the user types its name; if devices use it, lists and links them instead. */
export function DeleteConnector({ connector, onClose, onDeleted }: DeleteConnectorProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  if (connector && connector.deviceCount > 0) {
    return (
      <ConfirmDialog
        opened
        title={t('connectors.inUseTitle')}
        text={t('connectors.inUseText', { count: connector.deviceCount, name: connector.name })}
        confirmLabel={t('connectors.showDevices')}
        cancelLabel={t('common.close')}
        onCancel={onClose}
        onConfirm={() => {
          onClose()
          void navigate({ to: '/virtual-devices', search: { connector: String(connector.id) } })
        }}
      />
    )
  }
  return (
    <ConfirmDanger
      key={connector?.id ?? 'none'}
      opened={connector !== undefined}
      onClose={onClose}
      title={t('connectors.deleteTitle', { name: connector?.name ?? '' })}
      text={t('connectors.deleteText')}
      confirmLabel={t('connectors.delete')}
      {...(connector
        ? {
            typeToConfirm: connector.name,
            dependencies: {
              key: ['connector-uses', connector.id],
              load: () => dependenciesOf('connector', connector.id),
            },
          }
        : {})}
      onConfirm={async () => {
        if (!connector) return
        await client.bridge.delete({ id: connector.id })
        notifySuccess(t('connectors.deletedNote', { name: connector.name }))
        await onDeleted?.()
        await invalidateConnectors(cache)
      }}
    />
  )
}
