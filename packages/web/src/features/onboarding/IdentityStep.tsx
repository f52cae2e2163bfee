import { normaliseExternalId } from '@leitstand/contract/identifiers'
import { Alert, Button, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { IconAlertTriangle, IconAntenna, IconQrcode } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { useCan } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { type ConnectorRow, type DeviceValues, ExternalIdInput, OperationalSelect } from '../devices/index.ts'
import { RemoteButton } from '../remotes/index.ts'
import classes from './create.module.css'
import type { DeviceLabel } from './qr/lorawanQr.ts'

const QrDialog = onDemand(() => import('./qr/QrDialog.tsx'))

interface IdentityStepProps {
  form: UseFormReturnType<DeviceValues>
  connectorId: number
  /** undefined while loading */
  connector: ConnectorRow | undefined
  /** several devices are imported from the network server: the wizard is done */
  onImported: () => void
}

/** External id and title of the device. */
export function IdentityStep({ form, connectorId, connector, onImported }: IdentityStepProps) {
  const { t } = useTranslation()
  const values = form.getValues()
  const existing = useExisting(values.externalId, connectorId)
  return (
    <Stack gap="md" maw={640}>
      <ExternalIdInput
        value={values.externalId}
        onChange={(text) => form.setFieldValue('externalId', text)}
        onBlur={() => form.validateField('externalId')}
        error={form.errors.externalId}
        autoFocus
        preset={connector?.preset}
      />
      <Group gap="sm">
        <LabelButton
          onTake={({ devEui, ...rest }) => {
            form.setFieldValue('externalId', devEui)
            form.setFieldValue('keyValues', { ...values.keyValues, ...rest })
          }}
        />
        {connector && connector.remote !== 'none' ? (
          <RemoteButton form={form} connector={connector} onImported={onImported} />
        ) : null}
      </Group>
      {existing ? (
        <Alert color="yellow" variant="light" icon={<Icon of={IconAlertTriangle} />}>
          {t('devices.wizard.exists')}{' '}
          <RouterLink to={`/virtual-devices/${existing.id}`}>{existing.title}</RouterLink>
        </Alert>
      ) : null}
      <HeardLately
        connectorId={connectorId}
        onTake={(identifier) => form.setFieldValue('externalId', identifier)}
      />
      <TextInput
        label={t('devices.field.title')}
        description={t('devices.wizard.titleHint')}
        required
        {...form.getInputProps('title')}
      />
      <OperationalSelect
        value={values.operationalStatus}
        onChange={(code) => form.setFieldValue('operationalStatus', code)}
      />
    </Stack>
  )
}

/** Opens the label reader; its code and the camera's are loaded on demand. */
function LabelButton({ onTake }: { onTake: (label: DeviceLabel) => void }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  return (
    <div>
      <Button
        variant="default"
        leftSection={<Icon of={IconQrcode} size={16} />}
        onClick={() => setOpen(true)}
      >
        {t('devices.qr.open')}
      </Button>
      {open ? (
        <Suspense fallback={null}>
          <QrDialog
            opened
            onClose={() => setOpen(false)}
            onTake={(label) => {
              setOpen(false)
              onTake(label)
            }}
          />
        </Suspense>
      ) : null}
    </div>
  )
}

/** An existing device of this connector with the identifier. */
function useExisting(externalId: string, connectorId: number) {
  const [settled] = useDebouncedValue(normaliseExternalId(externalId), 250)
  const found = useQuery({
    ...api.virtualdevice.list.queryOptions({
      input: { search_items: `"${settled.replaceAll('"', '')}"`, connector_ids: [connectorId], limit: 5 },
    }),
    enabled: settled.length >= 2,
  })
  return found.data?.items.find((device) => device.externalId === settled)
}

const heardShown = 6

/** Recently received identifiers without a device: select one instead of typing it. */
function HeardLately(props: { connectorId: number; onTake: (identifier: string) => void }) {
  const { t } = useTranslation()
  const can = useCan()
  const list = useQuery({
    ...api.letters.list.queryOptions({
      input: { id: props.connectorId, reason: 'DEVICE_UNKNOWN', limit: 100 },
      refetchInterval: 5000,
    }),
    enabled: can('all', 'manage'),
  })
  const heard = new Map<string, string>()
  for (const { identifier, receivedAt } of list.data?.items ?? []) {
    if (identifier !== null && !heard.has(identifier)) heard.set(identifier, receivedAt)
  }
  if (heard.size === 0) return null
  return (
    <div>
      <Text size="sm" fw={550} mb={6}>
        {t('devices.wizard.heard')}
      </Text>
      <Group gap={8}>
        {[...heard].slice(0, heardShown).map(([identifier, at]) => (
          <UnstyledButton
            key={identifier}
            className={classes.chip ?? ''}
            onClick={() => props.onTake(identifier)}
          >
            <Icon of={IconAntenna} size={15} />
            <span className={classes.mono}>{identifier}</span>
            <Text span size="xs" c="dimmed">
              <RelativeTime time={at} />
            </Text>
          </UnstyledButton>
        ))}
      </Group>
    </div>
  )
}
