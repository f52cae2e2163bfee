import type { DeviceHealth } from '@leitstand/contract/health'
import { HealthConfig } from '@leitstand/contract/health'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { fieldIssues } from '../../lib/errors.ts'
import { check } from '../../lib/validation.ts'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { useLeave } from '../../ui/forms/useLeave.tsx'
import { type Device, invalidateDevices } from '../devices/index.ts'
import { HealthEditor } from '../drivers/index.ts'
import { useStates } from '../twins/index.ts'

const faultsOf = check(HealthConfig)
/** The server names the fields below this one. */
const prefix = /^health\./

/** Health configuration of one device, overriding its driver's; starts with the current values. */
export function ConfigDialog(props: { device: Device; health: DeviceHealth; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { device, health, onClose } = props
  // Fixed when the dialog opens: new packets do not change it; a concurrent edit is a conflict.
  const [start] = useState(health)
  const [config, setConfig] = useState(start.config)
  const form = useFieldFaults(() => config, faultsOf)
  const [failure, setFailure] = useState<unknown>(undefined)
  const [busy, setBusy] = useState(false)
  const variables = (useStates(device.id).data?.items ?? []).map(({ key }) => key)
  const changed = JSON.stringify(config) !== JSON.stringify(start.config)
  const { close, question } = useLeave(changed && !busy, onClose)
  const save = async () => {
    setFailure(undefined)
    if (Object.keys(form.attempt()).length > 0) return
    setBusy(true)
    try {
      await client.health.updateConfig({
        id: device.id,
        version: start.version,
        x: 'own',
        config,
      })
      notifySuccess(t('deviceHealth.ownSaved'))
      await invalidateDevices(cache)
      onClose()
    } catch (error) {
      const issues = fieldIssues(error)
      form.refuse(Object.fromEntries(issues.map(({ path, message }) => [path.replace(prefix, ''), message])))
      setFailure(issues.length === 0 ? error : undefined)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Modal opened onClose={close} title={t('deviceHealth.ownTitle', { title: device.title })} size={960}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t('deviceHealth.ownText')}
          </Text>
          <HealthEditor
            value={config}
            onChange={setConfig}
            errors={form.faults}
            variables={variables}
            readOnly={false}
            ofDriver={false}
          />
          {failure === undefined ? null : <ErrorText error={failure} />}
          <Group justify="flex-end" gap={8}>
            <Button variant="default" disabled={busy} onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button loading={busy} disabled={!changed && start.source === 'own'} onClick={() => void save()}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </Modal>
      {question}
    </>
  )
}
