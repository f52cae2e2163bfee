import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../../ui/feedback/notify.ts'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { useFieldFaults } from '../../../ui/forms/useFieldFaults.ts'
import { useLeave } from '../../../ui/forms/useLeave.tsx'
import { type Device, invalidateDevices } from '../queries.ts'
import { findTemplates, templateTitle } from './choices.ts'
import { LinkPreview } from './LinkPreview.tsx'

/** Links a device to a template, after showing what that removes and adds. */
export default function LinkDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [templateId, setTemplateId] = useState<string | null>(null)
  const [entered, setEntered] = useState<Readonly<Record<string, string>>>({})
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const { close, question } = useLeave(templateId !== null && !busy, onClose)
  const preview = useQuery({
    ...api.deviceTemplate.previewLink.queryOptions({
      input: { id: device.id, templateId: Number(templateId ?? 0) },
    }),
    enabled: templateId !== null,
    staleTime: 0,
  })
  const properties = preview.data?.properties ?? []
  const filledIn = (key: string) => {
    const property = properties.find((each) => each.key === key)
    return entered[key] ?? property?.value ?? property?.defaultValue ?? ''
  }
  const { faults, attempt, place } = useFieldFaults(
    () => ({ templateId, properties: Object.fromEntries(properties.map(({ key }) => [key, filledIn(key)])) }),
    (values) => faultsOf(values, t('validation.required')),
  )
  const link = async () => {
    if (Object.keys(attempt()).length > 0) return
    setBusy(true)
    setFailure(undefined)
    try {
      await client.deviceTemplate.link({
        id: device.id,
        version: device.version,
        templateId: Number(templateId),
        properties: Object.fromEntries(properties.map(({ key }) => [key, filledIn(key).trim()])),
      })
      notifySuccess(t('templates.linked'))
      onClose()
    } catch (error) {
      setFailure(place(error) ? error : undefined)
    } finally {
      setBusy(false)
      await Promise.all([
        invalidateDevices(cache),
        cache.invalidateQueries({ queryKey: api.digitaltwin.states.key({ input: { id: device.id } }) }),
        cache.invalidateQueries({ queryKey: api.ddr.key() }),
      ])
    }
  }
  return (
    <Modal opened onClose={close} title={t('templates.linkTitle', { title: device.title })} size="lg">
      <Stack gap="md">
        <EntityPicker
          label={t('devices.field.template')}
          description={t('templates.linkHint')}
          required
          value={templateId}
          onChange={(id) => {
            setTemplateId(id)
            setEntered({})
            setFailure(undefined)
          }}
          load={(search) =>
            findTemplates(search, {
              accountIds: [device.accountId],
              connectorIds: [device.connectorId],
              ...(device.driverId === null ? {} : { driverIds: [device.driverId] }),
              productive: true,
            })
          }
          labelOf={templateTitle}
          error={faults.templateId}
        />
        {templateId === null ? null : preview.isError ? (
          <ErrorText error={preview.error} />
        ) : preview.data ? (
          <LinkPreview preview={preview.data} />
        ) : (
          <Loading lines={3} />
        )}
        {properties.map(({ key }) => (
          <TextInput
            key={key}
            label={key}
            required
            maxLength={1000}
            value={filledIn(key)}
            onChange={(event) => setEntered({ ...entered, [key]: event.currentTarget.value })}
            error={faults[`properties.${key}`]}
          />
        ))}
        <Text size="sm" c="dimmed">
          {t('templates.linkAtOnce')}
        </Text>
        {failure === undefined ? null : <ErrorText error={failure} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" disabled={busy} onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button
            loading={busy}
            disabled={templateId !== null && (!preview.data || preview.data.faults.length > 0)}
            onClick={() => void link()}
          >
            {t('templates.linkConfirm')}
          </Button>
        </Group>
      </Stack>
      {question}
    </Modal>
  )
}

interface Values {
  templateId: string | null
  properties: Readonly<Record<string, string>>
}

/** What is missing: the template, or a value of one of its properties. */
function faultsOf({ templateId, properties }: Values, missing: string): Record<string, string> {
  const empty = Object.entries(properties).filter(([, value]) => value.trim() === '')
  return {
    ...(templateId === null ? { templateId: missing } : {}),
    ...Object.fromEntries(empty.map(([key]) => [`properties.${key}`, missing])),
  }
}
